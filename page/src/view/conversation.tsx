// One conversation: its messages, what waits for a person, and the box. Start at `ConversationView`.

import { useEffect, useRef } from "react";

import { desk, type State } from "../desk";
import { isBusy, type Conversation } from "../fold";
import { usageLine } from "../words";
import { Approvals } from "./approval";
import { ModelChoice } from "./choice";
import { Composer } from "./composer";
import { Mailbox } from "./mailbox";
import { Messages } from "./messages";
import { Trouble } from "./trouble";

export function ConversationView({ state, conversation }: { state: State; conversation: Conversation }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const { id, phase } = conversation;
  useEffect(() => {
    // On a phone the keyboard would cover half of what the person came to read.
    if (matchMedia("(hover: hover)").matches) area.current?.focus();
  }, [id]);
  if (typeof state.loading === "object") return <Trouble {...state.loading} />;
  const loading = state.loading === "loading";
  const byMail = conversation.model.startsWith("mailbox/") && phase === "asking";
  return (
    <>
      {loading && conversation.items.length === 0 ? (
        <p className="loading" role="status">
          Opening…
        </p>
      ) : (
        <Messages key={id} conversation={conversation} ready={!loading} />
      )}
      <div className="dock">
        <Approvals conversation={conversation} composer={area} />
        {byMail && <Mailbox id={id} turn={conversation.seq} />}
        <Ended conversation={conversation} />
        {conversation.retry !== "" && (
          <p className="retry" role="status">
            {conversation.retry}
          </p>
        )}
        <Composer
          draft={id}
          area={area}
          placeholder={placeholderOf(conversation)}
          connected={state.link === "live"}
          busy={isBusy(phase) || phase === "waiting"}
          onSend={(text) => desk.say(id, text, {})}
          onStop={() => void desk.cancel(id)}
        >
          <ModelChoice model={conversation.model} onChoose={(model) => void desk.chooseModel(id, model)} />
          {conversation.profile !== "" && <span className="faint">{conversation.profile}</span>}
          {conversation.usage.input > 0 && (
            <span className="usage" title="Tokens of this conversation">
              {usageLine(conversation.usage)}
            </span>
          )}
          {conversation.usage.input > 0 && (
            <button type="button" className="compact" title="Sum up earlier messages when the model is asked again" onClick={() => void desk.compact(id)}>
              Compact
            </button>
          )}
        </Composer>
      </div>
    </>
  );
}

/** A run that ended early can go on. */
function Ended({ conversation }: { conversation: Conversation }) {
  const { id, phase } = conversation;
  if (phase !== "failed" && phase !== "bound" && phase !== "interrupted") return null;
  return (
    <div className="ended">
      <button type="button" onClick={() => void desk.goOn(id)}>
        {phase === "failed" ? "Try again" : "Continue"}
      </button>
    </div>
  );
}

function placeholderOf(conversation: Conversation): string {
  if (conversation.phase === "waiting") return "Decide above, or say more";
  return isBusy(conversation.phase) ? "Say more: it is heard next" : "What next?";
}
