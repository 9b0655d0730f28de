// One tool call in the list: a line that unfolds into arguments, output and diff. Start at `CallView`.

import { memo } from "react";

import type { Call } from "../fold";
import { argumentsOf, duration, gist, stateOf } from "../words";
import { Coloured, Exact, Output } from "./code";
import { Copy } from "./copy";
import { Diff } from "./diff";
import { useFold } from "./fold-state";
import { Icon, type IconName } from "./icon";
import { UndoButton } from "./undo";

export const CallView = memo(function CallView({ id, call }: { id: string; call: Call }) {
  const [open, turn] = useFold(`${id}/${call.callId}`, opensByItself(call));
  const state = stateOf(call);
  return (
    <div className="call" data-state={call.state}>
      <div className="call-head">
        <button type="button" className="call-line" aria-expanded={open} onClick={turn}>
          <span className="turner" data-open={open}>
            <Icon name="fold" />
          </span>
          <Icon name={iconOf(call.toolName)} />
          <span className="tool">{call.toolName}</span>
          <code className="gist">
            {/* The card says it in full, right below. */}
            {call.state !== "waiting" && <Exact text={gist(call).split("\n")[0]?.slice(0, 300) ?? ""} />}
          </code>
          {call.state === "running" && <span className="spinner" aria-hidden="true" />}
          {state !== "" && <span className="state">{state}</span>}
          {call.millis !== undefined && call.state !== "running" && <span className="millis">{duration(call.millis)}</span>}
        </button>
      </div>
      {open && <Body id={id} call={call} />}
    </div>
  );
});

function Body({ id, call }: { id: string; call: Call }) {
  return (
    <div className="call-body">
      {call.reason !== "" && <Reason text={call.reason} />}
      {call.diff ? (
        <>
          <Diff diff={call.diff} />
          <details>
            <summary>Arguments</summary>
            <Arguments call={call} />
          </details>
        </>
      ) : (
        <Arguments call={call} />
      )}
      {(call.output !== "" || call.state === "running") && (
        <div className="part">
          <header>
            <span className="name">{call.state === "running" ? "output so far" : "output"}</span>
            {call.output !== "" && <Copy text={call.output} what="the output" />}
          </header>
          {call.output === "" ? <p className="faint">Nothing yet.</p> : <Output text={call.output} label="Output" />}
        </div>
      )}
      {call.whole && (
        <p className="faint">
          The whole output is in <code>{call.whole}</code>.
        </p>
      )}
      {call.undoable && <UndoButton id={id} callId={call.callId} />}
    </div>
  );
}

/** The arguments by name where they are an object, otherwise exactly as they were written. */
export function Arguments({ call }: { call: Call }) {
  const named = argumentsOf(call.arguments);
  if (!named) {
    return (
      <Part name="arguments" text={call.arguments}>
        <Exact text={call.arguments} />
      </Part>
    );
  }
  // What is short comes first: a path must not hide below the text that would be written to it.
  const [short, long] = [named.filter(({ value }) => isShort(value)), named.filter(({ value }) => !isShort(value))];
  return [...short, ...long].map(({ name, value }) => (
    <Part key={name} name={name} text={value}>
      {name === "command" ? <Command text={value} /> : <Exact text={value} />}
    </Part>
  ));
}

function Part({ name, text, children }: { name: string; text: string; children: React.ReactNode }) {
  const short = isShort(text);
  return (
    <div className="part" data-short={short}>
      <header>
        <span className="name">{name}</span>
        {!short && <Copy text={text} what={name} />}
      </header>
      <pre tabIndex={0} aria-label={name}>
        {children}
      </pre>
    </div>
  );
}

function isShort(text: string): boolean {
  return text.length <= 80 && !text.includes("\n");
}

/** Why a call waits, was declined or was refused; what stands in backticks is code. */
export function Reason({ text }: { text: string }) {
  return (
    <p className="reason">
      {text.split(/(`[^`]+`)/).map((part, at) =>
        part.startsWith("`") && part.length > 2 ? (
          <code key={at}>
            <Exact text={part.slice(1, -1)} />
          </code>
        ) : (
          <Exact key={at} text={part} />
        ),
      )}
    </p>
  );
}

/** Colours are for commands in which nothing is hidden; the others are shown exactly. */
function Command({ text }: { text: string }) {
  return /^[\n\t\x20-\x7e]*$/.test(text) ? <Coloured code={text} language="bash" /> : <Exact text={text} />;
}

function opensByItself(call: Call): boolean {
  return call.state === "running" || (call.diff !== undefined && call.diff.length < 4000);
}

function iconOf(toolName: string): IconName {
  if (/shell|bash|run|command/i.test(toolName)) return "terminal";
  if (/write|insert|replace|patch|edit/i.test(toolName)) return "pen";
  if (/search|find|grep|list/i.test(toolName)) return "search";
  return /file|view|read/i.test(toolName) ? "file" : "spark";
}
