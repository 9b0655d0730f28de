// What a call would do, read from its arguments, whatever its profile calls them. Start at `deedOf`.
//
// A deed is only how a call is shown. What its own view does not show stays in `rest`, so that nothing is left out.

import { loose, replaced, type FileDiff } from "./text/diff";

export type Argument = { name: string; value: string };

export type Deed =
  | { kind: "commands"; commands: readonly string[]; rest: readonly Argument[] }
  /** `written` is the model's own text, for copying. */
  | { kind: "change"; files: readonly FileDiff[]; written: string; rest: readonly Argument[] }
  | { kind: "other"; rest: readonly Argument[] };

type Fields = Readonly<Record<string, unknown>>;

const PATHS = ["path", "filePath", "file_path"];

/** The arguments as a deed, or null where they are not a JSON object: then only the raw text is true. */
export function deedOf(raw: string): Deed | null {
  const fields = fieldsOf(raw);
  return fields && (asCommands(fields) ?? asChange(fields) ?? { kind: "other", rest: without(fields) });
}

/** The arguments one by one, or null where they are not a JSON object. */
export function argumentsOf(raw: string): Argument[] | null {
  const fields = fieldsOf(raw);
  return fields && without(fields);
}

/** What a call is about, on one line. */
export function gist(raw: string): string {
  const deed = deedOf(raw);
  if (!deed) return raw;
  if (deed.kind === "commands") return deed.commands[0] ?? "";
  if (deed.kind === "change" && deed.files[0]?.path) return deed.files[0].path;
  const telling = [...PATHS, "pattern", "url", "query"];
  const found = telling.map((name) => deed.rest.find((one) => one.name === name)).find(Boolean) ?? deed.rest[0];
  return found?.value ?? "";
}

function fieldsOf(raw: string): Fields | null {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

function asCommands(fields: Fields): Deed | null {
  const { command, commands } = fields;
  if (typeof command === "string") return { kind: "commands", commands: [command], rest: without(fields, "command") };
  const listed = Array.isArray(commands) && commands.length > 0 && commands.every((one) => typeof one === "string");
  return listed ? { kind: "commands", commands, rest: without(fields, "commands") } : null;
}

function asChange(fields: Fields): Deed | null {
  const name = PATHS.find((name) => typeof fields[name] === "string") ?? "";
  const path = text(fields, name) ?? "";
  for (const patch of ["diff", "patch"]) {
    const written = text(fields, patch);
    if (written === undefined) continue;
    const files = loose(written, path);
    // An envelope names its own files: then the call's path is one more thing to know.
    const told = files.some((file) => file.path === path) ? [name, patch] : [patch];
    return { kind: "change", files, written, rest: without(fields, ...told) };
  }
  if (name === "") return null;
  return asReplacement(fields, name, path) ?? asAddition(fields, name, path);
}

function asReplacement(fields: Fields, name: string, path: string): Deed | null {
  for (const [old, now] of [["oldText", "newText"], ["old", "new"]] as const) {
    const [taken, given] = [text(fields, old), text(fields, now)];
    if (taken === undefined || given === undefined) continue;
    const head = old === "oldText" && !isPlain(taken, given) ? PATTERN : "";
    return { kind: "change", files: [replaced(path, taken, given, head)], written: given, rest: without(fields, name, old, now) };
  }
  return null;
}

/** Lines that come into a file, or all the lines of a new one. Any other argument would say that it is something else. */
function asAddition(fields: Fields, name: string, path: string): Deed | null {
  const { content, line, ...others } = fields;
  if (typeof content !== "string" || Object.keys(others).some((other) => other !== name)) return null;
  if (line !== undefined && typeof line !== "number") return null;
  const place = line === undefined ? "" : line === 0 ? "At the top" : `After line ${line}`;
  const file = replaced(path, "", content, place);
  if (content === "") file.notes.push("Nothing is in it.");
  return { kind: "change", files: [file], written: content, rest: [] };
}

const PATTERN = "What goes is a regular expression: the one place that matches it is replaced.";

/** Whether a pattern and its replacement mean just what they say. */
function isPlain(pattern: string, replacement: string): boolean {
  return !/[\\^$.*+?()[\]{}|]/.test(pattern) && !replacement.includes("$");
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

function without(fields: Fields, ...told: string[]): Argument[] {
  return Object.entries(fields)
    .filter(([name]) => !told.includes(name))
    .map(([name, value]) => ({ name, value: typeof value === "string" ? value : JSON.stringify(value, null, 2) }));
}
