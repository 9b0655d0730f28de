// One tool call in the list: a line that unfolds into arguments, output and diff. Start at `CallView`.

import { memo, useMemo } from "react";

import { argumentsOf, deedOf, gist, type Argument } from "../deed";
import type { Call } from "../fold";
import { duration, stateOf } from "../words";
import { Coloured, Exact, Output } from "./code";
import { Copy } from "./copy";
import { Changes, Diff } from "./diff";
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
            {call.state !== "waiting" && <Exact text={gist(call.arguments).split("\n")[0]?.slice(0, 300) ?? ""} />}
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
            <ByName raw={call.arguments} />
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

/** What the arguments come to: commands, a change of files, or something that is told best by its names. */
export function Arguments({ call }: { call: Call }) {
  const deed = useMemo(() => deedOf(call.arguments), [call.arguments]);
  switch (deed?.kind) {
    case "commands":
      return (
        <>
          {deed.commands.map((command, at) => (
            <Command key={at} text={command} name={deed.commands.length === 1 ? "command" : `command ${at + 1}`} />
          ))}
          <Asides rest={deed.rest} />
        </>
      );
    case "change":
      // An approval is for all of it, so all of it is drawn.
      return (
        <>
          <Changes files={deed.files} copied={deed.written} what="the text as written" most={Infinity} />
          <Asides rest={deed.rest} />
        </>
      );
    default:
      return <ByName raw={call.arguments} />;
  }
}

/** The arguments by name where they are an object, otherwise exactly as they were written. */
function ByName({ raw }: { raw: string }) {
  const named = argumentsOf(raw);
  if (!named) return <Named name="arguments" value={raw} />;
  // What is short comes first: a path must not hide below the text that would be written to it.
  const { short, long } = byLength(named);
  return [...short, ...long].map(({ name, value }) => <Named key={name} name={name} value={value} />);
}

/** What stands beside a command or a change: small and last, unless it is long. */
function Asides({ rest }: { rest: readonly Argument[] }) {
  const { short, long } = byLength(rest);
  return (
    <>
      {long.map(({ name, value }) => (
        <Named key={name} name={name} value={value} />
      ))}
      {short.length > 0 && (
        <p className="asides">
          {short.map(({ name, value }) => (
            <span key={name}>
              <Exact text={name} />{" "}
              <code>
                <Exact text={value} />
              </code>
            </span>
          ))}
        </p>
      )}
    </>
  );
}

function Named({ name, value }: Argument) {
  const short = isShort(value);
  return (
    <div className="part" data-short={short}>
      <header>
        <span className="name">{name}</span>
        {!short && <Copy text={value} what={name} />}
      </header>
      <pre tabIndex={0} aria-label={name}>
        <Exact text={value} />
      </pre>
    </div>
  );
}

function byLength(named: readonly Argument[]): { short: Argument[]; long: Argument[] } {
  return { short: named.filter(({ value }) => isShort(value)), long: named.filter(({ value }) => !isShort(value)) };
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
function Command({ text, name }: { text: string; name: string }) {
  const plain = /^[\n\t\x20-\x7e]*$/.test(text);
  return (
    <div className="part command">
      <pre tabIndex={0} aria-label={name}>
        {plain ? <Coloured code={text} language="bash" /> : <Exact text={text} />}
      </pre>
      <Copy text={text} what={name} />
    </div>
  );
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
