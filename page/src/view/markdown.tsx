// Markdown as elements of the page. Start at `Markdown`.
//
// No HTML is ever made or taken: tags in the text are shown as text, addresses are checked, pictures are links. So there
// is nothing left to sanitise, and nothing is fetched that the person did not click.

import type { Token, Tokens } from "marked";
import { memo, useRef, type ReactNode } from "react";

import { NOTHING, read, safeAddress, unescape, type Block } from "../text/blocks";
import { Code } from "./code";

export default function Markdown({ text, live }: { text: string; live: boolean }) {
  const before = useRef(NOTHING);
  // A whole text is read at once, so that what its end defines (the target of a link) is known at its beginning.
  const reading = read(live ? before.current : NOTHING, text);
  before.current = reading;
  // The first heading of the page is not the text's, and no level is left out: a reader by ear goes from one to the next.
  let level = 1;
  return (
    <div className="prose">
      {reading.blocks.map((block) => {
        if (block.token.type === "heading") level = Math.min(level + 1, (block.token as Tokens.Heading).depth + 1, 6);
        return <OneBlock key={block.key} block={block} level={level} />;
      })}
    </div>
  );
}

const OneBlock = memo(
  function OneBlock({ block, level }: { block: Block; level: number }) {
    if (block.token.type !== "heading") return drawn(block.token, 0);
    const Level = `h${level}` as "h2";
    return <Level data-depth={(block.token as Tokens.Heading).depth}>{many((block.token as Tokens.Heading).tokens, 0)}</Level>;
  },
  (before, now) => before.block.raw === now.block.raw && before.level === now.level,
);

/** Deeper than this nothing is drawn as what it is: text that nests without end is an attack, not a document. */
const DEPTH = 40;

function many(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  return tokens?.map((token, at) => <Piece key={at} token={token} depth={depth + 1} />);
}

function Piece({ token, depth }: { token: Token; depth: number }) {
  return drawn(token, depth);
}

function drawn(given: Token, depth: number): ReactNode {
  const token = given as Tokens.Generic;
  if (depth > DEPTH) return token.raw;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "code":
      return <Code code={token.text} language={(token.lang ?? "").split(/[\s,{]/)[0]?.toLowerCase() ?? ""} />;
    case "heading":
      // Inside a quote or a list it is emphasis, no part of the outline.
      return (
        <p>
          <strong>{many(token.tokens, depth)}</strong>
        </p>
      );
    case "hr":
      return <hr />;
    case "blockquote":
      return <blockquote>{many(token.tokens, depth)}</blockquote>;
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    case "paragraph":
      return <p>{many(token.tokens, depth)}</p>;
    case "strong":
      return <strong>{many(token.tokens, depth)}</strong>;
    case "em":
      return <em>{many(token.tokens, depth)}</em>;
    case "del":
      return <del>{many(token.tokens, depth)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token.href, many(token.tokens, depth), token.raw);
    case "image":
      return link(token.href, token.text || token.href, token.raw);
    case "checkbox":
      return <input type="checkbox" checked={Boolean(token.checked)} readOnly disabled aria-label="task" />;
    case "escape":
      return token.text;
    case "text":
      return token.tokens ? many(token.tokens, depth) : unescape(token.text);
    default:
      // HTML, and whatever the reader may learn later, is shown as it was written.
      return token.raw;
  }
}

function list(token: Tokens.List, depth: number): ReactNode {
  const items = token.items.map((item, at) => <li key={at}>{many(item.tokens, depth)}</li>);
  if (!token.ordered) return <ul>{items}</ul>;
  return <ol start={token.start === "" ? 1 : token.start}>{items}</ol>;
}

function table(token: Tokens.Table, depth: number): ReactNode {
  const align = (cell: Tokens.TableCell) => (cell.align ? `to-${cell.align}` : undefined);
  return (
    <div className="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              <th key={at} className={align(cell)}>
                {many(cell.tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} className={align(cell)}>
                  {many(cell.tokens, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function link(address: string, words: ReactNode, raw: string): ReactNode {
  const safe = safeAddress(address);
  if (!safe) return raw;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow" title={safe}>
      {words}
    </a>
  );
}
