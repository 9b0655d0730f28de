// The stateless view: one box, one tool a request, and a history that only this page keeps. Start at `Stateless`.

import { useEffect, useRef, useState } from "react";

import { api, type Answer, type Exchange } from "../api";
import { keep, kept } from "../keep";
import { Composer } from "./composer";
import { Exact } from "./code";
import { Copy } from "./copy";

type Held = Exchange & { failed: boolean };

/** How many exchanges go with each request, and how many are kept. */
const SENT = 20;
const KEPT = 100;

const TOOLS = ["auto", "readFile", "listFiles", "searchText", "replaceText"];

export function Stateless() {
  const area = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const [tool, setTool] = useState("auto");
  const [asking, setAsking] = useState<string | null>(null);
  const [held, setHeld] = useState<readonly Held[]>(() => kept<Held[]>("stateless", []));
  useEffect(() => end.current?.scrollIntoView({ block: "end" }), [held, asking]);
  const hold = (next: readonly Held[]) => {
    setHeld(next);
    keep("stateless", next.length === 0 ? null : next);
  };
  const send = async (prompt: string): Promise<boolean> => {
    setAsking(prompt);
    const answer = await ask(prompt, tool, held);
    setAsking(null);
    const result = answer.success ? (answer.data ?? "") : (answer.error ?? answer.message);
    hold([...held, { timestamp: new Date().toISOString(), prompt, result, failed: !answer.success }].slice(-KEPT));
    return true;
  };
  return (
    <>
      <div className="messages stateless" tabIndex={0} role="region" aria-label="Exchanges">
        {held.length === 0 && asking === null && (
          <div className="welcome">
            <h2>One question, one tool, nothing kept</h2>
            <p>
              Each request stands alone: the server keeps no state. This page remembers the exchanges and sends the last {SENT} along.
            </p>
            <p className="faint">
              The same as <code>POST /api/agent</code>, for programs.
            </p>
          </div>
        )}
        {held.map((one, at) => (
          <article key={at} className="exchange">
            <div className="said">
              <div className="bubble">
                <Exact text={one.prompt} />
              </div>
            </div>
            <div className="result" data-failed={one.failed}>
              <pre tabIndex={0} aria-label="Result">
                <Exact text={one.result} />
              </pre>
              <Copy text={one.result} what="this result" />
            </div>
          </article>
        ))}
        {asking !== null && (
          <article className="exchange">
            <div className="said">
              <div className="bubble">{asking}</div>
            </div>
            <p role="status">Asking…</p>
          </article>
        )}
        <div ref={end} />
      </div>
      <div className="dock">
        <Composer draft="stateless" area={area} placeholder="Ask one thing" connected={asking === null} busy={false} onSend={send} onStop={() => {}}>
          <label className="choice">
            <span className="unseen">Tool</span>
            <select value={tool} onChange={(event) => setTool(event.target.value)}>
              {TOOLS.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <span className="faint">
            {Math.min(SENT, held.length)} of {held.length} exchanges sent along
          </span>
          {held.length > 0 && (
            <button type="button" className="quiet" onClick={() => hold([])}>
              Forget them
            </button>
          )}
        </Composer>
      </div>
    </>
  );
}

async function ask(prompt: string, tool: string, held: readonly Held[]): Promise<Answer> {
  const history = held.slice(-SENT).map(({ timestamp, prompt, result }) => ({ timestamp, prompt, result }));
  try {
    return await api.agent(prompt, tool, history);
  } catch (error) {
    return { success: false, message: "", data: null, error: error instanceof Error ? error.message : String(error) };
  }
}
