// Which view an address means. Start at `useRoute` and `go`.

import { useSyncExternalStore } from "react";

export type Route = { view: "new" } | { view: "conversation"; id: string } | { view: "stateless" };

const CONVERSATION = /^\/c\/([0-9a-fA-F-]{32,36})\/?$/;

export function routeOf(path: string): Route {
  const id = CONVERSATION.exec(path)?.[1];
  if (id) return { view: "conversation", id: id.toLowerCase() };
  return path.replace(/\/$/, "") === "/stateless" ? { view: "stateless" } : { view: "new" };
}

export function pathOf(id: string): string {
  return `/c/${id}`;
}

const watchers = new Set<() => void>();
window.addEventListener("popstate", () => watchers.forEach((watcher) => watcher()));

export function go(path: string): void {
  if (path !== location.pathname) history.pushState(null, "", path);
  watchers.forEach((watcher) => watcher());
}

export function useRoute(): Route {
  const path = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => location.pathname,
  );
  return routeOf(path);
}

/** Follows a link inside the page, unless the person wants it in another tab. */
export function follow(event: React.MouseEvent<HTMLAnchorElement>): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(new URL(event.currentTarget.href).pathname);
}
