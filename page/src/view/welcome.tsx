// Before anything was said: what this is, what is missing, and ways to begin. Start at `Welcome`.

import { useEffect, useRef, useState } from "react";

import { api } from "../api";
import { desk, type State } from "../desk";
import type { Missing } from "../generated/shapes";
import { guid } from "../keep";
import { go, pathOf } from "../route";
import { ModelChoice, ProfileChoice } from "./choice";
import { Composer } from "./composer";
import { Exact } from "./code";
import { Mark } from "./icon";

const IDEAS = ["What does this project do?", "Find a failing test and mend it.", "Review my uncommitted changes."];

/** The model that is a person with a chat of their own, and the profile that such a chat is told of. */
const MAILBOX = { model: "mailbox/", profile: "mailbox" };

export function Welcome({ state }: { state: State }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [model, setModel] = useState("");
  const [profile, setProfile] = useState("");
  const { setup } = state;
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) area.current?.focus();
  }, []);
  const send = (text: string): Promise<boolean> => {
    const id = guid();
    const said = desk.say(id, text, { ...(model ? { model } : {}), ...(profile ? { profile } : {}) });
    go(pathOf(id));
    return said;
  };
  const missing = model === "" ? setup?.missing : undefined;
  return (
    <>
      <div className="welcome" tabIndex={0} role="region" aria-label="Welcome">
        <Mark />
        <h2>What shall we work on?</h2>
        {setup && (
          <p className="faint">
            In <code>{setup.directory}</code>
          </p>
        )}
        {missing ? (
          <NoProvider
            missing={missing}
            onMailbox={() => {
              setModel(MAILBOX.model);
              if (setup?.profiles.includes(MAILBOX.profile)) setProfile(MAILBOX.profile);
              area.current?.focus();
            }}
          />
        ) : (
          <ul className="ideas">
            {IDEAS.map((idea) => (
              <li key={idea}>
                <button type="button" disabled={state.link !== "live"} onClick={() => void send(idea)}>
                  {idea}
                </button>
              </li>
            ))}
          </ul>
        )}
        {model === MAILBOX.model && (
          <p>By mailbox: you carry each prompt to a chat of your choice, and its answer back. No key, no network.</p>
        )}
      </div>
      <div className="dock">
        <Composer draft="new" area={area} placeholder="Ask, or say what to do" connected={state.link === "live"} busy={false} onSend={send} onStop={() => {}}>
          <ModelChoice model={model || (setup?.model ?? "")} onChoose={setModel} />
          <ProfileChoice profile={profile || "web"} profiles={setup?.profiles ?? []} onChoose={setProfile} />
        </Composer>
      </div>
    </>
  );
}

/** No model can be asked: how to set one, and two ways that need none. */
function NoProvider({ missing, onMailbox }: { missing: Missing; onMailbox(): void }) {
  const demo = () =>
    desk.attempt(async () => {
      const { id } = await api.demo();
      go(pathOf(id));
    });
  return (
    <section className="no-provider" aria-label="No model yet">
      <h3>
        <Exact text={missing.message} />
      </h3>
      <p>
        <Exact text={missing.hint} />
      </p>
      <p>Without a key, you can still</p>
      <div className="actions">
        <button type="button" className="primary" onClick={() => void demo()}>
          Watch the recorded demo
        </button>
        <button type="button" onClick={onMailbox}>
          Use the mailbox
        </button>
      </div>
      <p className="faint">
        The demo mends a small project in a copy of its own. The mailbox lets you carry prompts to any chat by hand.
      </p>
    </section>
  );
}
