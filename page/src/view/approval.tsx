// The calls that wait for a person. Start at `Approvals`; each card shows exactly what would run.
//
// Keys act only while nobody types, and never on a card that has just slid under the finger.

import { useEffect, useId, useRef, useState, type ReactNode, type RefObject } from "react";

import { api } from "../api";
import { desk } from "../desk";
import { callOf, type Call, type Conversation } from "../fold";
import { hides } from "../text/reveal";
import { question } from "../words";
import { Arguments, Reason } from "./call";
import { Exact } from "./code";
import { Copy } from "./copy";
import { Icon } from "./icon";

/** After a decision the next card moves up; a second press of the same key within this time is not meant for it. */
const GRACE = 400;

/** What cannot be taken back. */
const DECIDE = ["approve", "decline"];

const BUTTON_OF: Readonly<Record<string, string>> = { y: "approve", n: "decline", a: "always", e: "explain" };

export function Approvals({ conversation, composer }: { conversation: Conversation; composer: RefObject<HTMLTextAreaElement | null> }) {
  const dock = useRef<HTMLElement>(null);
  const calls = conversation.pending.map((callId) => callOf(conversation, callId)).filter((call) => call !== undefined);
  const shrunk = useShrinking(calls.length);
  useKeys(dock, shrunk);
  useFocusAfter(dock, composer, calls.length);
  return (
    <section ref={dock} className="approvals" aria-label="Waiting for you" data-count={calls.length}>
      {calls.map((call, at) => (
        <Card key={call.callId} id={conversation.id} call={call} place={at + 1} count={calls.length} />
      ))}
    </section>
  );
}

type Mode = "plain" | "words" | { rule: string };

function Card({ id, call, place, count }: { id: string; call: Call; place: number; count: number }) {
  const [mode, setMode] = useState<Mode>("plain");
  const [sent, setSent] = useState(false);
  const heading = useId();
  // The methods return when the run pauses again; a card that was decided is gone long before.
  const decide = async (work: Promise<boolean>) => {
    setSent(true);
    if (!(await work)) setSent(false);
  };
  const showRule = () =>
    desk.attempt(async () => {
      const { rule } = await api.rule(id, call.callId);
      setMode({ rule });
    });
  return (
    <article className="card" aria-labelledby={heading} tabIndex={-1} data-sent={sent}>
      <header>
        <Icon name="shield" />
        <h2 id={heading}>{question(call.toolName)}</h2>
        <code className="tool">{call.toolName}</code>
        {count > 1 && (
          <span className="faint place">
            {place} / {count}
          </span>
        )}
        <Copy text={call.arguments} what="the arguments as written" />
      </header>
      {call.reason !== "" && <Reason text={call.reason} />}
      <Bytes call={call} />
      {mode === "plain" && (
        <div className="actions">
          <button type="button" className="primary" data-key="approve" aria-keyshortcuts="y" disabled={sent} onClick={() => void decide(desk.approve(id, call.callId, call.digest))}>
            Approve <kbd aria-hidden="true">y</kbd>
          </button>
          <button type="button" data-key="decline" aria-keyshortcuts="n" disabled={sent} onClick={() => void decide(desk.decline(id, call.callId, ""))}>
            Decline <kbd aria-hidden="true">n</kbd>
          </button>
          <button type="button" className="quiet" data-key="explain" aria-keyshortcuts="e" disabled={sent} onClick={() => setMode("words")}>
            No, and say why… <kbd aria-hidden="true">e</kbd>
          </button>
          <button type="button" className="quiet" data-key="always" aria-keyshortcuts="a" disabled={sent} onClick={() => void showRule()}>
            Always… <kbd aria-hidden="true">a</kbd>
          </button>
          {place === 1 && <span className="faint keys-hint">Keys work while you are not typing; Esc leaves the box.</span>}
        </div>
      )}
      {mode === "words" && (
        <Words disabled={sent} onBack={() => setMode("plain")} onSay={(words) => void decide(desk.decline(id, call.callId, words))} />
      )}
      {typeof mode === "object" && (
        <Rule rule={mode.rule} disabled={sent} onBack={() => setMode("plain")} onSave={() => void decide(desk.always(id, call.callId))} />
      )}
    </article>
  );
}

/** What would run. Where the parts could mislead, the text as it was written stands beside them. */
function Bytes({ call }: { call: Call }) {
  const [raw, setRaw] = useState(false);
  const hidden = hides(call.arguments.replaceAll("\r", "")) || hides(unquoted(call.arguments));
  return (
    <div className="bytes">
      {hidden && <p className="warning">It holds characters that cannot be seen. They are named where they stand.</p>}
      <Arguments call={call} />
      <details onToggle={(event) => setRaw(event.currentTarget.open)}>
        <summary>As the model wrote it ({new TextEncoder().encode(call.arguments).length} bytes)</summary>
        {raw && (
          <pre tabIndex={0} aria-label="Arguments as written">
            <Exact text={call.arguments} />
          </pre>
        )}
      </details>
    </div>
  );
}

/** The characters that JSON escapes stand for. */
function unquoted(raw: string): string {
  try {
    const texts: string[] = [];
    JSON.parse(raw, (key: string, value: unknown) => {
      texts.push(key);
      if (typeof value === "string") texts.push(value);
      return value;
    });
    return texts.join(" ");
  } catch {
    return "";
  }
}

function Words({ disabled, onSay, onBack }: { disabled: boolean; onSay(words: string): void; onBack(): void }) {
  const [words, setWords] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const keys = (event: React.KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onBack();
    }
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing && words.trim() !== "") {
      event.preventDefault();
      onSay(words.trim());
    }
  };
  return (
    <div className="words">
      <label>
        What should it do instead?
        <textarea ref={area} rows={2} value={words} onChange={(event) => setWords(event.target.value)} onKeyDown={keys} />
      </label>
      <Actions disabled={disabled || words.trim() === ""} onAct={() => onSay(words.trim())} onBack={onBack}>
        Decline and say so
      </Actions>
    </div>
  );
}

function Rule({ rule, disabled, onSave, onBack }: { rule: string; disabled: boolean; onSave(): void; onBack(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <div className="words">
      <p>This rule would be saved, and holds from now on without asking:</p>
      <pre tabIndex={0} aria-label="Rule">
        <Exact text={rule} />
      </pre>
      <Actions button={button} disabled={disabled} onAct={onSave} onBack={onBack}>
        Save the rule and run it
      </Actions>
    </div>
  );
}

type Acts = { button?: RefObject<HTMLButtonElement | null>; disabled: boolean; onAct(): void; onBack(): void; children: ReactNode };

/** What goes on from here, and the way back to the plain card. */
function Actions({ button, disabled, onAct, onBack, children }: Acts) {
  return (
    <div className="actions">
      <button ref={button} type="button" className="primary" disabled={disabled} onClick={onAct}>
        {children}
      </button>
      <button type="button" className="quiet" onClick={onBack}>
        Back
      </button>
    </div>
  );
}

/** When the number of cards last went down. */
function useShrinking(count: number): RefObject<number> {
  const at = useRef(0);
  const before = useRef(count);
  useEffect(() => {
    if (count < before.current) at.current = performance.now();
    before.current = count;
  }, [count]);
  return at;
}

function useKeys(dock: RefObject<HTMLElement | null>, shrunk: RefObject<number>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const wanted = BUTTON_OF[event.key];
      if (!wanted || event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]") || (DECIDE.includes(wanted) && performance.now() - shrunk.current < GRACE)) return;
      const within = document.activeElement?.closest(".card") ?? dock.current?.querySelector(".card");
      const button = within?.querySelector<HTMLButtonElement>(`button[data-key="${wanted}"]:not(:disabled)`);
      if (!button) return;
      event.preventDefault();
      button.click();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [dock, shrunk]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}

/** Focus that vanished with a card goes to the next card as a whole, never onto one of its buttons. */
function useFocusAfter(dock: RefObject<HTMLElement | null>, composer: RefObject<HTMLTextAreaElement | null>, count: number): void {
  const held = useRef(false);
  useEffect(() => {
    const watch = () => {
      held.current = dock.current?.contains(document.activeElement) ?? false;
    };
    document.addEventListener("focusin", watch);
    return () => document.removeEventListener("focusin", watch);
  }, [dock]);
  useEffect(() => {
    if (!held.current || dock.current?.contains(document.activeElement)) return;
    const next = dock.current?.querySelector<HTMLElement>(".card") ?? composer.current;
    next?.focus();
    held.current = false;
  }, [dock, composer, count]);
}
