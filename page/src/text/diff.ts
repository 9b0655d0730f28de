// Changes as rows, inline or side by side. Start at `parse` for what happened, at `loose` and `replaced` for what a model
// wishes.

export type Line = { sign: " " | "+" | "-"; old?: number; now?: number; text: string };
export type Hunk = { head: string; lines: Line[] };
export type FileDiff = { path: string; hunks: Hunk[]; added: number; removed: number; notes: string[] };
export type Row = { left: Line | undefined; right: Line | undefined };

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

export function parse(diff: string): FileDiff[] {
  const files: FileDiff[] = [];
  const lines = linesOf(diff);
  let hunk: Hunk | null = null;
  let [old, now, oldLeft, nowLeft] = [0, 0, 0, 0];
  for (const line of lines) {
    const file = files.at(-1);
    // Inside a hunk every line is content, whatever it looks like: a removed `-- x` is no file header.
    if (hunk && file && (oldLeft > 0 || nowLeft > 0) && /^[ +-]|^$/.test(line)) {
      const sign = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
      const made: Line = { sign, text: line.slice(1) };
      if (sign !== "+") [made.old, old, oldLeft] = [old, old + 1, oldLeft - 1];
      if (sign !== "-") [made.now, now, nowLeft] = [now, now + 1, nowLeft - 1];
      if (sign === "+") file.added++;
      if (sign === "-") file.removed++;
      hunk.lines.push(made);
      continue;
    }
    const head = HEAD.exec(line);
    if (head) {
      [old, now] = [Number(head[1]), Number(head[3])];
      [oldLeft, nowLeft] = [Number(head[2] ?? 1), Number(head[4] ?? 1)];
      hunk = { head: line, lines: [] };
      (file ?? started(files, "")).hunks.push(hunk);
    } else if (line.startsWith("--- ")) {
      hunk = null;
      started(files, name(line));
    } else if (line.startsWith("+++ ") && file) {
      if (name(line) !== "/dev/null") file.path = name(line);
    } else if (file && line.trim() !== "" && !line.startsWith("diff ") && !line.startsWith("index ")) {
      file.notes.push(line.replace(/^\\ /, ""));
    }
  }
  return files;
}

const NAMED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/;

/**
 * A patch as a model writes it. Its counts may be wrong or missing, so each line is what it looks like, and none is left
 * out but the marks of an envelope. A patch that has no `path` names its files itself.
 */
export function loose(patch: string, path: string): FileDiff[] {
  const files: FileDiff[] = [];
  const lines = linesOf(patch).filter((line) => !/^\*\*\* (Begin|End) Patch\s*$/.test(line));
  // A removed `-- x` before an added `++ y` looks like the names of a file, too; only names stand right before a hunk.
  const names = (at: number) => /^--- .*\n\+\+\+ .*\n@@/.test(lines.slice(at, at + 3).join("\n"));
  lines.forEach((line, at) => {
    const begun = NAMED.exec(line)?.[1] ?? (path === "" && names(at) ? newer(line, lines[at + 1] ?? "") : undefined);
    const file = begun === undefined ? (files.at(-1) ?? started(files, path)) : started(files, begun);
    const isHead = /^(?:@@|\*\*\* )/.test(line) || names(at) || (at > 0 && names(at - 1));
    if (isHead) file.hunks.push({ head: line, lines: [] });
    else add(file, line);
  });
  return files.length === 0 ? [started(files, path)] : files;
}

/** One place of a file: what goes, and what comes instead. */
export function replaced(path: string, taken: string, given: string, head: string): FileDiff {
  const file = started([], path);
  file.hunks.push({ head, lines: [] });
  // A line end that only one of them has is part of the change.
  const whole = taken !== "" && given !== "" && taken.endsWith("\n") !== given.endsWith("\n");
  for (const line of whole ? taken.split("\n") : linesOf(taken)) add(file, `-${line}`);
  for (const line of whole ? given.split("\n") : linesOf(given)) add(file, `+${line}`);
  return file;
}

/** Removed and added lines of one place stand beside each other. */
export function sides(lines: readonly Line[]): Row[] {
  const rows: Row[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (line?.sign === " ") {
      rows.push({ left: line, right: line });
      at++;
      continue;
    }
    const removed = run(lines, at, "-");
    const added = run(lines, at + removed.length, "+");
    for (let row = 0; row < Math.max(removed.length, added.length); row++) {
      rows.push({ left: removed[row], right: added[row] });
    }
    at += removed.length + added.length;
  }
  return rows;
}

function run(lines: readonly Line[], from: number, sign: Line["sign"]): Line[] {
  let to = from;
  while (lines[to]?.sign === sign) to++;
  return lines.slice(from, to);
}

function add(file: FileDiff, line: string): void {
  const sign = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
  if (sign === "+") file.added++;
  if (sign === "-") file.removed++;
  if (file.hunks.length === 0) file.hunks.push({ head: "", lines: [] });
  file.hunks.at(-1)?.lines.push({ sign, text: /^[ +-]/.test(line) ? line.slice(1) : line });
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function started(files: FileDiff[], path: string): FileDiff {
  const file: FileDiff = { path, hunks: [], added: 0, removed: 0, notes: [] };
  files.push(file);
  return file;
}

function newer(before: string, after: string): string {
  return name(after) === "/dev/null" ? name(before) : name(after);
}

function name(line: string): string {
  const path = line.slice(4).split("\t")[0] ?? "";
  return path === "/dev/null" ? path : path.replace(/^[ab]\//, "");
}
