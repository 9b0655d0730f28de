// What changed in files, inline or side by side. Start at `Diff`.

import { memo, useMemo, useSyncExternalStore } from "react";

import { keep, kept } from "../keep";
import { parse, sides, type FileDiff, type Hunk, type Line, type Row } from "../text/diff";
import { Copy } from "./copy";
import { Exact } from "./code";

type Layout = "inline" | "sides";

const watchers = new Set<() => void>();
let layout: Layout = kept<unknown>("diff", "inline") === "sides" ? "sides" : "inline";

function turn(): void {
  layout = layout === "sides" ? "inline" : "sides";
  keep("diff", layout);
  watchers.forEach((watcher) => watcher());
}

function useLayout(): Layout {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => layout,
  );
}

/** Longer diffs are cut; the file itself is the better place to read them. */
const LINES = 2000;

export const Diff = memo(function Diff({ diff }: { diff: string }) {
  const files = useMemo(() => parse(diff), [diff]);
  if (files.length === 0) return <pre className="output">{diff}</pre>;
  return <Changes files={files} copied={diff} what="this diff" most={LINES} />;
});

type Shown = { files: readonly FileDiff[]; copied: string; what: string; most: number };

/** Changes that were read already; of each file as many lines as `most` are drawn. */
export const Changes = memo(function Changes({ files, copied, what, most }: Shown) {
  const chosen = useLayout();
  return (
    <div className="diff" data-layout={chosen}>
      {files.map((file, at) => (
        <section key={at} aria-label={`Changes in ${file.path}`}>
          <header>
            <code className="path">
              <Exact text={file.path} />
            </code>
            <span className="added">+{file.added}</span>
            <span className="removed">−{file.removed}</span>
            <button type="button" className="quiet layout" onClick={turn}>
              {chosen === "sides" ? "Inline" : "Side by side"}
            </button>
            <Copy text={copied} what={what} />
          </header>
          <div className="hunks" tabIndex={0} role="region" aria-label={`Lines of ${file.path}`}>
            <Hunks file={file} layout={chosen} most={most} />
          </div>
        </section>
      ))}
    </div>
  );
});

function Hunks({ file, layout, most }: { file: FileDiff; layout: Layout; most: number }) {
  let left = most;
  const numbered = file.hunks.some((hunk) => hunk.lines.some((line) => line.old !== undefined || line.now !== undefined));
  return (
    <table data-numbered={numbered}>
      {file.hunks.map((hunk, at) => {
        const shown = { ...hunk, lines: hunk.lines.slice(0, Math.max(0, left)) };
        left -= hunk.lines.length;
        return <tbody key={at}>{layout === "sides" ? <Sides hunk={shown} /> : <Inline hunk={shown} />}</tbody>;
      })}
      {(file.notes.length > 0 || left < 0) && (
        <tbody>
          <tr className="head">
            <td colSpan={4}>{left < 0 ? `${-left} more lines are not shown.` : file.notes.join(" · ")}</td>
          </tr>
        </tbody>
      )}
    </table>
  );
}

function Inline({ hunk }: { hunk: Hunk }) {
  const partners = useMemo(() => partnersOf(sides(hunk.lines)), [hunk]);
  return (
    <>
      <Head hunk={hunk} />
      {hunk.lines.map((line, at) => (
        <tr key={at} className={tone(line)}>
          <td className="number">{line.old}</td>
          <td className="number">{line.now}</td>
          <td className="sign">{line.sign}</td>
          <td className="text">
            <Marked line={line} partner={partners.get(line)} />
          </td>
        </tr>
      ))}
    </>
  );
}

function Sides({ hunk }: { hunk: Hunk }) {
  const rows = useMemo(() => sides(hunk.lines), [hunk]);
  return (
    <>
      <Head hunk={hunk} />
      {rows.map(({ left, right }, at) => (
        <tr key={at}>
          <td className={`number ${tone(left)}`}>{left?.old}</td>
          <td className={`text ${tone(left)}`}>{left && <Marked line={left} partner={right} />}</td>
          <td className={`number ${tone(right)}`}>{right?.now}</td>
          <td className={`text ${tone(right)}`}>{right && <Marked line={right} partner={left} />}</td>
        </tr>
      ))}
    </>
  );
}

function Head({ hunk }: { hunk: Hunk }) {
  if (hunk.head === "") return null;
  return (
    <tr className="head">
      <td colSpan={4}>
        <Exact text={hunk.head} />
      </td>
    </tr>
  );
}

function tone(line: Line | undefined): string {
  if (!line) return "gone";
  return line.sign === "+" ? "plus" : line.sign === "-" ? "minus" : "same";
}

function partnersOf(rows: readonly Row[]): Map<Line, Line> {
  const partners = new Map<Line, Line>();
  for (const { left, right } of rows) {
    if (!left || !right || left === right) continue;
    partners.set(left, right);
    partners.set(right, left);
  }
  return partners;
}

/** The part of a line that its partner does not share is set off, unless they share next to nothing. */
function Marked({ line, partner }: { line: Line; partner: Line | undefined }) {
  if (!partner || partner === line || partner.text === line.text) return <Exact text={line.text} />;
  const [from, to] = differing(line.text, partner.text);
  if (to - from > line.text.length * 0.7) return <Exact text={line.text} />;
  return (
    <>
      <Exact text={line.text.slice(0, from)} />
      <mark>
        <Exact text={line.text.slice(from, to)} />
      </mark>
      <Exact text={line.text.slice(to)} />
    </>
  );
}

function differing(text: string, other: string): [number, number] {
  const shorter = Math.min(text.length, other.length);
  let from = 0;
  while (from < shorter && text[from] === other[from]) from++;
  let back = 0;
  while (back < shorter - from && text.at(-1 - back) === other.at(-1 - back)) back++;
  return [from, text.length - back];
}
