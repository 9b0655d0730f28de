// The conversations: begin, search, open, rename, delete. Start at `Sidebar`.

import { useVirtualizer } from "@tanstack/react-virtual";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";

import { desk, type State } from "../desk";
import type { ConversationShape } from "../generated/shapes";
import { follow, go, pathOf, type Route } from "../route";
import { turnTheme, useTheme } from "../theme";
import { ago, dotOf } from "../words";
import { Dialog } from "./dialog";
import { Icon, Mark } from "./icon";

const THEME_ICON = { system: "half", light: "sun", dark: "moon" } as const;

export function Sidebar({ state, route, onNew, onOpen }: { state: State; route: Route; onNew(): void; onOpen(): void }) {
  const [search, setSearch] = useState("");
  const theme = useTheme();
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const all = state.conversations;
  const shown = useMemo(
    () => (all ?? []).filter((one) => wanted === "" || one.topic.toLowerCase().includes(wanted)),
    [all, wanted],
  );
  return (
    <nav className="sidebar" aria-label="Sessions">
      <div className="brand">
        <Mark />
        <span>Cinque</span>
        <button type="button" className="quiet" aria-label={`Theme: ${theme}`} title={`Theme: ${theme}`} onClick={turnTheme}>
          <Icon name={THEME_ICON[theme]} />
        </button>
      </div>
      <button type="button" className="primary new" onClick={onNew}>
        <Icon name="plus" /> New Session
      </button>
      <label className="search">
        <Icon name="search" />
        <input type="search" aria-label="Search sessions" placeholder="Search" value={search} onChange={(event) => setSearch(event.target.value)} />
      </label>
      {all !== null && shown.length === 0 && (
        <p className="faint none">{wanted === "" ? "No sessions yet." : "No session has this in its topic."}</p>
      )}
      <List shown={shown} open={route.view === "conversation" ? route.id : ""} onOpen={onOpen} />
      <div className="sidebar-foot">
        <a href="/stateless" aria-current={route.view === "stateless" ? "page" : undefined} onClick={follow}>
          <Icon name="bolt" /> Stateless
        </a>
        <span className="faint" title={state.setup?.directory}>
          {state.setup ? state.setup.version : ""}
        </span>
      </div>
    </nav>
  );
}

const ROW = 52;

function List({ shown, open, onOpen }: { shown: readonly ConversationShape[]; open: string; onOpen(): void }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  const list = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (at) => shown[at]?.id ?? at,
    overscan: 6,
  });
  return (
    <div ref={scroller} className="sessions" tabIndex={-1}>
      <ul style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map((row) => {
          const one = shown[row.index];
          return one ? (
            <li key={row.key} style={{ transform: `translateY(${row.start}px)` }} aria-posinset={row.index + 1} aria-setsize={shown.length}>
              <Session one={one} current={one.id === open} now={now} onOpen={onOpen} />
            </li>
          ) : null;
        })}
      </ul>
    </div>
  );
}

function Session({ one, current, now, onOpen }: { one: ConversationShape; current: boolean; now: number; onOpen(): void }) {
  const [doing, setDoing] = useState<"" | "rename" | "delete">("");
  const dot = dotOf(one.pending > 0 ? "waiting" : one.status);
  const topic = one.topic || "Untitled";
  if (doing === "rename") return <Rename one={one} onDone={() => setDoing("")} />;
  return (
    <div className="session" data-current={current}>
      <a
        href={pathOf(one.id)}
        aria-current={current ? "page" : undefined}
        onClick={(event) => {
          follow(event);
          onOpen();
        }}
      >
        <span className="dot" data-tone={dot.tone} />
        <span className="topic">{topic}</span>
        <span className="when">
          <span className={dot.tone === "calm" ? "unseen" : "status"}>{dot.words} · </span>
          {ago(one.dateUpdated || one.dateCreated, now)}
        </span>
      </a>
      <button type="button" className="quiet" aria-label={`Rename ${topic}`} title="Rename" onClick={() => setDoing("rename")}>
        <Icon name="pen" />
      </button>
      <button type="button" className="quiet" aria-label={`Delete ${topic}`} title="Delete" onClick={() => setDoing("delete")}>
        <Icon name="bin" />
      </button>
      {doing === "delete" && <Delete one={one} topic={topic} current={current} onDone={() => setDoing("")} />}
    </div>
  );
}

function Rename({ one, onDone }: { one: ConversationShape; onDone(): void }) {
  const [topic, setTopic] = useState(one.topic);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const save = () => {
    if (topic.trim() !== "" && topic.trim() !== one.topic) void desk.rename(one.id, topic.trim());
    onDone();
  };
  return (
    <form
      className="session rename"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <input
        ref={input}
        aria-label="New name"
        value={topic}
        autoFocus
        onChange={(event) => setTopic(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => event.key === "Escape" && onDone()}
      />
    </form>
  );
}

function Delete({ one, topic, current, onDone }: { one: ConversationShape; topic: string; current: boolean; onDone(): void }) {
  const remove = async () => {
    if ((await desk.remove(one.id)) && current) go("/");
    onDone();
  };
  return (
    <Dialog title="Delete this session?" onClose={onDone}>
      <p>“{topic}” and everything said in it will be gone. Files that it changed stay as they are.</p>
      <div className="actions">
        <button type="button" className="danger" onClick={() => void remove()}>
          Delete it
        </button>
        <button type="button" onClick={onDone}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}
