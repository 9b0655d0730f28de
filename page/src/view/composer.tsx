// The box in which a person writes. Enter sends, Shift+Enter makes a line. Start at `Composer`.

import { useEffect, useLayoutEffect, useState, type ReactNode, type RefObject } from "react";

import { keep, kept } from "../keep";
import { Icon } from "./icon";

type Props = {
  /** Whose draft it is. */
  draft: string;
  area: RefObject<HTMLTextAreaElement | null>;
  placeholder: string;
  connected: boolean;
  busy: boolean;
  /** False when it was not taken: then the words come back into the box. */
  onSend(text: string): Promise<boolean>;
  onStop(): void;
  children?: ReactNode;
};

/** The box grows with its text up to this many pixels, then it scrolls. */
const TALLEST = 260;

export function Composer({ draft, area, placeholder, connected, busy, onSend, onStop, children }: Props) {
  const name = `draft.${draft}`;
  const [text, setText] = useState(() => kept(name, ""));
  /** Enter was pressed before there was anybody to send to. Whoever writes on takes it back. */
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    setText(kept(name, ""));
    setWanted(false);
  }, [name]);
  const change = (words: string) => {
    setText(words);
    keep(name, words);
    setWanted(false);
  };
  useLayoutEffect(() => {
    const box = area.current;
    if (!box) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(TALLEST, box.scrollHeight)}px`;
  }, [area, text]);

  const blank = text.trim() === "";
  const ready = connected && !blank;
  const send = async () => {
    if (blank) return;
    if (!connected) return setWanted(true);
    const words = text;
    change("");
    if (await onSend(words)) return;
    // What was written in the meantime is kept; what was refused is not lost.
    setText((newer) => (newer === "" ? words : newer));
    if (kept(name, "") === "") keep(name, words);
  };
  useEffect(() => {
    if (wanted && connected) void send();
  }, [wanted, connected]);
  const press = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    // Enter also ends the composing of a character; that one is not meant for us.
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    }
    if (event.key === "Escape") {
      const card = document.querySelector<HTMLElement>(".card");
      if (card) card.focus();
      else event.currentTarget.blur();
    }
  };
  return (
    <form
      className="composer"
      aria-label="Write a message"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="composer-box">
        <textarea
          id="message"
          ref={area}
          rows={1}
          value={text}
          aria-label="Message"
          placeholder={placeholder}
          enterKeyHint="send"
          onChange={(event) => change(event.target.value)}
          onKeyDown={press}
        />
        {busy && (
          <button type="button" className="stop" onClick={onStop}>
            <Icon name="stop" />
            <span>Stop</span>
          </button>
        )}
        {(!busy || !blank) && (
          <button type="submit" className="send" aria-label="Send" title="Send (Enter)" aria-disabled={!ready}>
            <Icon name="send" />
          </button>
        )}
      </div>
      <div className="composer-foot">{children}</div>
    </form>
  );
}
