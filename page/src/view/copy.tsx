// A button that copies. Its name is always `Copy`; what it copies is said beside it.

import { useState } from "react";

import { Icon } from "./icon";

export function Copy({ text, what }: { text: string; what: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await write(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button type="button" className="quiet copy" aria-label="Copy" title={`Copy ${what}`} onClick={() => void copy()}>
      <Icon name={done ? "check" : "copy"} />
      <span className="unseen" role="status">
        {done ? "Copied" : ""}
      </span>
    </button>
  );
}

async function write(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a secure origin there is no clipboard to write to, but a selection can still be copied.
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "unseen";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
