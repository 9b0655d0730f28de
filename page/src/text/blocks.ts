// Markdown as blocks that stay the same while a text grows at its end. Start at `read`.
//
// Only the end of a streamed text changes, so only that is read and drawn again; the blocks before keep their identity.

import { Lexer, type Token } from "marked";

export type Block = { key: number; raw: string; token: Token };

/** What a text was read as, to be handed back in when it has grown. */
export type Reading = { text: string; blocks: readonly Block[] };

export const NOTHING: Reading = { text: "", blocks: [] };

/** How many blocks at the end may still change their meaning: a list goes on, a line becomes a heading. */
const UNSETTLED = 2;

export function read(before: Reading, written: string): Reading {
  const text = written.replace(/\r\n?/g, "\n");
  if (text === before.text) return before;
  const settled = before.blocks.slice(0, -UNSETTLED);
  const prefix = settled.map((block) => block.raw).join("");
  // What the reader changed on its way cannot be found again in the text; then all of it is read again.
  const kept = text.startsWith(prefix) ? settled : [];
  let at = kept.length > 0 ? prefix.length : 0;
  const blocks: Block[] = [...kept];
  for (const token of new Lexer({ gfm: true }).lex(text.slice(at))) {
    blocks.push({ key: at, raw: token.raw, token });
    at += token.raw.length;
  }
  return { text, blocks };
}

/** Addresses that a click may go to; anything else (scripts, files, data) is shown as text. */
export function safeAddress(address: string): string | null {
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Characters written as entities, the usual few by name. */
export function unescape(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{2,6}));/g, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name] ?? whole;
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
