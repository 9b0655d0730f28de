// Makes visible what a screen would hide: control, bidirectional and zero-width characters. Start at `reveal`.
//
// An approval binds exact bytes, so what a person reads must be those bytes: nothing may reorder, hide or obey.

export type Piece = { kind: "text"; text: string } | { kind: "mark"; code: string; name: string };

const NAMES: Readonly<Record<number, string>> = {
  0x00: "null",
  0x07: "bell",
  0x08: "backspace",
  0x09: "tab",
  0x0b: "vertical tab",
  0x0c: "form feed",
  0x0d: "carriage return",
  0x1b: "escape",
  0x7f: "delete",
  0xa0: "no-break space",
  0xad: "soft hyphen",
  0x061c: "Arabic letter mark",
  0x200b: "zero width space",
  0x200c: "zero width non-joiner",
  0x200d: "zero width joiner",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x2028: "line separator",
  0x2029: "paragraph separator",
  0x202a: "left-to-right embedding",
  0x202b: "right-to-left embedding",
  0x202c: "pop directional formatting",
  0x202d: "left-to-right override",
  0x202e: "right-to-left override",
  0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate",
  0x2068: "first strong isolate",
  0x2069: "pop directional isolate",
  0xfeff: "byte order mark",
};

// Everything that has no ink of its own: controls but newline and tab, format characters, separators that look like a
// plain space or like nothing, fillers, variation selectors, lone surrogates, private use.
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Variation_Selector}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800]/gu;

/** Splits a text into what can be shown as it is and what must be named. Newlines and tabs are shown as such. */
export function reveal(text: string): Piece[] {
  const pieces: Piece[] = [];
  let shown = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const character = match[0];
    if (character === "\n" || character === "\t") continue;
    if (match.index > shown) pieces.push({ kind: "text", text: text.slice(shown, match.index) });
    pieces.push(mark(character.codePointAt(0) ?? 0));
    shown = match.index + character.length;
  }
  if (shown < text.length) pieces.push({ kind: "text", text: text.slice(shown) });
  return pieces;
}

export function hides(text: string): boolean {
  return reveal(text).some((piece) => piece.kind === "mark");
}

function mark(code: number): Piece {
  const hex = code.toString(16).toUpperCase().padStart(4, "0");
  return { kind: "mark", code: `U+${hex}`, name: NAMES[code] ?? "invisible character" };
}
