// The frame of the page: sessions on the left, the chosen view on the right. Start at `App`.

import { useEffect, useState } from "react";

import { desk, useDesk, type State } from "../desk";
import { go, useRoute, type Route } from "../route";
import { Announcer } from "./announcer";
import { ConversationView } from "./conversation";
import { Icon } from "./icon";
import { Sidebar } from "./sidebar";
import { Stateless } from "./stateless";
import { Welcome } from "./welcome";

export function App() {
  const state = useDesk();
  const route = useRoute();
  const [drawer, setDrawer] = useState(false);
  const narrow = useNarrow();
  const id = route.view === "conversation" ? route.id : null;
  useEffect(() => {
    // A conversation that this page has just begun is open already.
    if (desk.look().open?.id !== (id ?? undefined)) void desk.show(id);
    setDrawer(false);
  }, [id]);
  const topic = topicOf(state, route);
  const waiting = state.open?.pending.length ?? 0;
  useEffect(() => {
    document.title = `${waiting > 0 ? "● " : ""}${topic} · Cinque`;
  }, [topic, waiting]);
  useEffect(() => {
    if (!drawer) return;
    const close = (event: KeyboardEvent) => event.key === "Escape" && setDrawer(false);
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [drawer]);
  const begin = () => {
    setDrawer(false);
    go("/");
    // The view may be there already; then only the box is wanted.
    document.getElementById("message")?.focus();
  };
  return (
    <div className="frame" data-drawer={drawer}>
      <a className="skip" href="#message" onClick={skip}>
        Skip to the message box
      </a>
      <div className="side" inert={narrow && !drawer}>
        <Sidebar state={state} route={route} onNew={begin} onOpen={() => setDrawer(false)} />
      </div>
      {narrow && drawer && <div className="veil" onClick={() => setDrawer(false)} />}
      <main inert={narrow && drawer}>
        <header className="top">
          {narrow && (
            <button type="button" className="quiet" aria-label="Sessions" aria-expanded={drawer} onClick={() => setDrawer(true)}>
              <Icon name="menu" />
            </button>
          )}
          <h1>{topic}</h1>
          {narrow && !drawer && (
            <button type="button" className="quiet" aria-label="New Session" onClick={begin}>
              <Icon name="plus" />
            </button>
          )}
        </header>
        <Banner state={state} />
        <View state={state} route={route} />
      </main>
      <Notices state={state} />
      <Announcer conversation={state.open} />
    </div>
  );
}

function View({ state, route }: { state: State; route: Route }) {
  if (route.view === "stateless") return <Stateless />;
  if (route.view === "new") return <Welcome state={state} />;
  return state.open?.id === route.id ? <ConversationView state={state} conversation={state.open} /> : null;
}

function Banner({ state }: { state: State }) {
  if (state.link === "refused") {
    return (
      <p className="banner" role="alert">
        This page is no longer signed in. Open the address that the server printed when it started.
      </p>
    );
  }
  // The first moments of every visit are not worth a word.
  if (state.link !== "reconnecting") return null;
  return (
    <p className="banner" role="status">
      <span className="spinner" aria-hidden="true" /> The connection is gone. Trying again; nothing is lost.
    </p>
  );
}

function Notices({ state }: { state: State }) {
  return (
    <div className="notices" role="alert">
      {state.notices.map((notice) => (
        <div key={notice.id} className="notice">
          <p>
            {notice.text}
            {notice.hint !== "" && <span className="hint"> {notice.hint}</span>}
          </p>
          <button type="button" className="quiet" aria-label="Dismiss" onClick={() => desk.dismiss(notice.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

function topicOf(state: State, route: Route): string {
  if (route.view === "stateless") return "Stateless";
  if (route.view === "new") return "New session";
  const listed = state.conversations?.find((one) => one.id === route.id)?.topic;
  return listed || state.open?.topic || "Session";
}

/** A fragment in the address would stay there, and is of no use to anybody. */
function skip(event: React.MouseEvent): void {
  event.preventDefault();
  document.getElementById("message")?.focus();
}

const NARROW = "(max-width: 760px)";

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const change = () => setNarrow(media.matches);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, []);
  return narrow;
}
