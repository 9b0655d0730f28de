// A unified diff as rows, inline or side by side. Start at `parse`.

export type Line = { sign: " " | "+" | "-"; old?: number; now?: number; text: string };
export type Hunk = { head: string; lines: Line[] };
export type FileDiff = { path: string; hunks: Hunk[]; added: number; removed: number; notes: string[] };
export type Row = { left: Line | undefined; right: Line | undefined };

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

export function parse(diff: string): FileDiff[] {
  const files: FileDiff[] = [];
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
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

function started(files: FileDiff[], path: string): FileDiff {
  const file: FileDiff = { path, hunks: [], added: 0, removed: 0, notes: [] };
  files.push(file);
  return file;
}

function name(line: string): string {
  const path = line.slice(4).split("\t")[0] ?? "";
  return path === "/dev/null" ? path : path.replace(/^[ab]\//, "");
}
