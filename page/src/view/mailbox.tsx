// The mailbox: a person carries the prompt to any chat and the answer back. Start at `Mailbox`.

import { useEffect, useState } from "react";

import { api } from "../api";
import { desk } from "../desk";
import { Copy } from "./copy";

/** The prompt is written a moment after the model is asked. */
const PAUSE = 400;

/** `turn` changes with every question to the model. */
export function Mailbox({ id, turn }: { id: string; turn: number }) {
  const [prompt, setPrompt] = useState<string | null>(null);
  const [answer, setAnswer] = useState("");
  useEffect(() => {
    let wanted = true;
    setPrompt(null);
    const look = async () => {
      const found = await api.outbox(id).catch(() => null);
      if (!wanted) return;
      if (found) setPrompt(found.text);
      else setTimeout(() => void look(), PAUSE);
    };
    void look();
    return () => {
      wanted = false;
    };
  }, [id, turn]);
  if (prompt === null) return null;
  const hand = () =>
    desk.attempt(async () => {
      await api.inbox(id, answer);
      setAnswer("");
    });
  return (
    <section className="mailbox card" aria-label="Mailbox">
      <header>
        <h2>Carry this to any chat</h2>
        <Copy text={prompt} what="the prompt" />
      </header>
      <ol>
        <li>Copy the prompt and paste it into a chat of your choice.</li>
        <li>Copy that chat's whole answer and paste it here.</li>
      </ol>
      <pre tabIndex={0} aria-label="Prompt to carry">
        {prompt}
      </pre>
      <label>
        Answer
        <textarea rows={4} value={answer} onChange={(event) => setAnswer(event.target.value)} />
      </label>
      <div className="actions">
        <button type="button" className="primary" disabled={answer.trim() === ""} onClick={() => void hand()}>
          Hand in the answer
        </button>
      </div>
    </section>
  );
}
