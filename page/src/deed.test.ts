// What calls come to, as tables: arguments in, what a card shows out.

import { expect, test } from "vitest";

import { deedOf, gist } from "./deed";

/** What a card shows, a line each: commands, files with their rows, and what stands beside. */
function shown(raw: string): string[] | null {
  const deed = deedOf(raw);
  if (!deed) return null;
  const rest = deed.rest.map(({ name, value }) => `${name}=${value}`);
  if (deed.kind === "commands") return [...deed.commands.map((command) => `$ ${command}`), ...rest];
  if (deed.kind === "other") return rest;
  const files = deed.files.flatMap((file) => [
    `${file.path} +${file.added} -${file.removed}`,
    ...file.hunks.flatMap((hunk) => [...(hunk.head === "" ? [] : [hunk.head]), ...hunk.lines.map((line) => line.sign + line.text)]),
    ...file.notes,
  ]);
  return [...files, ...rest];
}

const PATTERN = "What goes is a regular expression: the one place that matches it is replaced.";

test.each<[string, unknown, string[] | null]>([
  ["a command", { command: "ls", timeout: 3 }, ["$ ls", "timeout=3"]],
  ["commands", { needsApproval: true, commands: ["touch a", "cat <<x\ny\nx"] }, ["$ touch a", "$ cat <<x\ny\nx", "needsApproval=true"]],
  ["no commands", { commands: [] }, ["commands=[]"]],
  ["commands that are none", { commands: ["ls", 1] }, ['commands=[\n  "ls",\n  1\n]']],
  ["a replacement", { newText: "2\n", oldText: "two\n", path: "a" }, ["a +1 -1", "-two", "+2"]],
  ["a removal", { newText: "", oldText: "two\n", path: "a" }, ["a +0 -1", "-two"]],
  ["a line end that goes", { newText: "2", oldText: "two\n", path: "a" }, ["a +1 -2", "-two", "-", "+2"]],
  ["a pattern", { newText: "x", oldText: "a.c", path: "a" }, ["a +1 -1", PATTERN, "-a.c", "+x"]],
  ["a group", { newText: "$1", oldText: "a", path: "a" }, ["a +1 -1", PATTERN, "-a", "+$1"]],
  ["a literal replacement", { path: "a", old: "a.c", new: "x", all: true }, ["a +1 -1", "-a.c", "+x", "all=true"]],
  ["an insertion", { content: "x\n\ny", line: 3, path: "a" }, ["a +3 -0", "After line 3", "+x", "+", "+y"]],
  ["an insertion at the top", { content: "x", line: 0, path: "a" }, ["a +1 -0", "At the top", "+x"]],
  ["a new file", { content: "- x\n+ y\n", path: "a" }, ["a +2 -0", "+- x", "++ y"]],
  ["an empty file", { content: "", path: "a" }, ["a +0 -0", "Nothing is in it."]],
  ["content that is something else", { content: "x", path: "a", mode: "append" }, ["content=x", "path=a", "mode=append"]],
  ["a patch", { diff: "@@ fn main\n a\n-b\n+c\n", path: "a", type: "update_file" }, ["a +1 -1", "@@ fn main", " a", "-b", "+c", "type=update_file"]],
  [
    "a unified diff with wrong counts",
    { diff: "--- a/a\n+++ b/a\n@@ -1,9 +1 @@\n-b\n+c\nodd", path: "a" },
    ["a +1 -1", "--- a/a", "+++ b/a", "@@ -1,9 +1 @@", "-b", "+c", " odd"],
  ],
  ["lines that look like names", { diff: "@@\n--- x\n+++ y", path: "a" }, ["a +1 -1", "@@", "--- x", "+++ y"]],
  [
    "an envelope",
    { diff: "*** Begin Patch\n*** Add File: x\n+1\n*** Update File: y\n@@\n-2\n*** End Patch", path: "a" },
    ["x +1 -0", "*** Add File: x", "+1", "y +0 -1", "*** Update File: y", "@@", "-2", "path=a"],
  ],
  ["a patch that names its file", { patch: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c" }, ["x +1 -1", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "-b", "+c"]],
  ["a file that goes", { path: "a", type: "delete_file" }, ["path=a", "type=delete_file"]],
  ["a list", [1], null],
  ["null", null, null],
])("%s", (_, value, expected) => expect(shown(JSON.stringify(value))).toEqual(expected));

test("what is not JSON is no deed", () => expect(shown("{")).toBeNull());

test.each<[string, string]>([
  ['{"path":"a","command":"ls"}', "ls"],
  ['{"needsApproval":true,"commands":["touch shared","ls"]}', "touch shared"],
  ['{"newText":"x","oldText":"y","path":"a/b"}', "a/b"],
  ['{"from":1,"path":"a"}', "a"],
  ['{"other":"x"}', "x"],
  ["{}", ""],
  ["{", "{"],
])("the gist of %s", (raw, expected) => expect(gist(raw)).toBe(expected));
