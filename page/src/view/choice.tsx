// Which model and which profile. Start at `ModelChoice` and `ProfileChoice`.

import { useEffect, useId, useState } from "react";

import { api } from "../api";

let known: Promise<string[]> | null = null;

/** Providers are asked when somebody first wants to choose, and once. */
function models(): Promise<string[]> {
  known ??= api.models().then(
    (answer) => answer.models,
    () => {
      known = null;
      return [];
    },
  );
  return known;
}

export function ModelChoice({ model, onChoose }: { model: string; onChoose(model: string): void }) {
  const [text, setText] = useState(model);
  const [choices, setChoices] = useState<readonly string[]>([]);
  const list = useId();
  useEffect(() => setText(model), [model]);
  const commit = (wanted: string) => {
    const chosen = wanted.trim();
    if (chosen === "" || chosen === model) setText(model);
    else onChoose(chosen);
  };
  return (
    <label className="choice">
      <span className="unseen">Model</span>
      <input
        list={list}
        value={text}
        size={Math.max(12, Math.min(32, text.length + 1))}
        spellCheck={false}
        autoComplete="off"
        placeholder="provider/model"
        title="The model, as provider/model"
        onFocus={(event) => {
          event.target.select();
          void models().then(setChoices);
        }}
        onChange={(event) => {
          setText(event.target.value);
          // A click on an entry of the list arrives as a change to exactly that entry.
          if (choices.includes(event.target.value)) commit(event.target.value);
        }}
        onBlur={() => commit(text)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            commit(text);
          }
          if (event.key === "Escape") setText(model);
        }}
      />
      <datalist id={list}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </label>
  );
}

export function ProfileChoice({ profile, profiles, onChoose }: { profile: string; profiles: readonly string[]; onChoose(profile: string): void }) {
  if (profiles.length < 2) return null;
  return (
    <label className="choice">
      <span className="unseen">Profile</span>
      <select value={profile} title="The profile: tools, rules and manner" onChange={(event) => onChoose(event.target.value)}>
        {profiles.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}
