// What a screen reader is told: sentences, once, when something is whole. Streams are not read aloud. Start at `Announcer`.

import { useEffect, useRef, useState } from "react";

import { callOf, type Conversation } from "../fold";

export function Announcer({ conversation }: { conversation: Conversation | null }) {
  const [words, setWords] = useState("");
  const before = useRef<Conversation | null>(null);
  useEffect(() => {
    const last = before.current;
    before.current = conversation;
    if (!conversation || last?.id !== conversation.id || last === conversation) return;
    const told = toTell(last, conversation);
    if (told) setWords(told);
  }, [conversation]);
  return (
    <div className="unseen" role="status" aria-live="polite">
      {words}
    </div>
  );
}

/** What happened, not what was said: that stands in the list, and would be heard twice. */
function toTell(before: Conversation, now: Conversation): string {
  const added = now.pending.filter((callId) => !before.pending.includes(callId));
  const call = added[0] === undefined ? undefined : callOf(now, added[0]);
  if (call) return `${added.length === 1 ? "A call waits" : `${added.length} calls wait`} for your decision: ${call.toolName}.`;
  // A conversation that is being opened has not just ended.
  if (now.phase === before.phase || before.phase === "new") return "";
  if (now.phase === "done") return "Cinque has answered.";
  if (now.phase === "failed") return "The run failed.";
  if (now.phase === "cancelled") return "The run was stopped.";
  if (now.phase === "bound") return "The run reached its limit.";
  return "";
}
