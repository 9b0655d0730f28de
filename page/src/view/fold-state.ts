// What a person has folded or unfolded, kept while a virtual list takes elements away and brings them back.

import { useState } from "react";

const chosen = new Map<string, boolean>();

/** Open or not, as the person chose, else as `natural` says now. */
export function useFold(key: string, natural: boolean): [boolean, () => void] {
  const [, redraw] = useState(0);
  const open = chosen.get(key) ?? natural;
  const turn = () => {
    chosen.set(key, !open);
    redraw((count) => count + 1);
  };
  return [open, turn];
}
