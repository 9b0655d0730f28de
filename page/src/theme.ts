// Light, dark, or as the system says. Start at `useTheme`.

import { useSyncExternalStore } from "react";

import { keep, kept } from "./keep";

export type Theme = "system" | "light" | "dark";

const THEMES: readonly Theme[] = ["system", "light", "dark"];
const watchers = new Set<() => void>();
let theme = THEMES.find((one) => one === kept<unknown>("theme", "system")) ?? "system";

/** The style sheet follows `data-theme`; without it, the system. */
export function showTheme(): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function turnTheme(): void {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  keep("theme", theme === "system" ? null : theme);
  showTheme();
  watchers.forEach((watcher) => watcher());
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => theme,
  );
}
