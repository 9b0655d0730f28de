// The small readers of text, as tables.

import { expect, test } from "vitest";

import { dotOf, duration, money, tokens, usageLine } from "../words";
import { paint } from "./ansi";
import { NOTHING, read, safeAddress, unescape } from "./blocks";
import { parse, sides } from "./diff";
import { highlight } from "./highlight";
import { hides, reveal } from "./reveal";

test.each([
  ["plain", "plain"],
  ["a\tb\nc", "a\tb\nc"],
  ["a\u202eb", "a[U+202E]b"],
  ["\u200b", "[U+200B]"],
  ["ls\u00a0-l", "ls[U+00A0]-l"],
  ["\x1b[31m", "[U+001B][31m"],
  ["a\rb", "a[U+000D]b"],
  ["\u{e0041}x", "[U+E0041]x"],
  ["é 日本 🙂", "é 日本 🙂"],
  ["\ufeff#!", "[U+FEFF]#!"],
  ["\ud800", "[U+D800]"],
])("reveal %j", (text, expected) => {
  const shown = reveal(text).map((piece) => (piece.kind === "text" ? piece.text : `[${piece.code}]`));
  expect(shown.join("")).toBe(expected);
  expect(hides(text)).toBe(expected.includes("["));
});

test.each([
  ["a\x1b[31mb\x1b[0mc", "a|a-f1:b|c"],
  ["\x1b[1;32mok\x1b[22m!", "a-bold a-f2:ok|a-f2:!"],
  ["\x1b[38;5;1mx", "a-f1:x"],
  ["\x1b[38;5;196mx", "rgb(255 0 0):x"],
  ["\x1b[38;2;1;2;3mx", "rgb(1 2 3):x"],
  ["\x1b[48;5;244mx", "/rgb(128 128 128):x"],
  ["\x1b[7mx", "a-inverse:x"],
  ["\x1b[97mx", "a-f15:x"],
  ["\x1b[2Jx", "\x1b[2Jx"],
  ["a\r\nb", "a\nb"],
  ["\x1b[38;2;999;-1mx", "\x1b[38;2;999;-1mx"],
  ["\x1b[mx", "x"],
])("paint %j", (text, expected) => {
  const shown = paint(text).map((span) => {
    const pen = [span.classes, span.foreground, span.background && `/${span.background}`].filter(Boolean).join(" ");
    return pen === "" ? span.text : `${pen}:${span.text}`;
  });
  expect(shown.join("|")).toBe(expected);
});

const DIFF = "--- a/x.txt\n+++ b/x.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -9 +9,2 @@\n--- nine\n+++ nine\n+ten\n\\ No newline at end of file\n";

test("a diff is read by its counts, not by how lines look", () => {
  const files = parse(DIFF);
  expect(files).toHaveLength(1);
  const [file] = files;
  expect(file).toMatchObject({ path: "x.txt", added: 3, removed: 2, notes: ["No newline at end of file"] });
  expect(file?.hunks.map((hunk) => hunk.lines.map((line) => `${line.old ?? "."}/${line.now ?? "."}${line.sign}${line.text}`))).toEqual([
    ["1/1 one", "2/.-two", "./2+2", "3/3 three"],
    ["9/.--- nine", "./9+++ nine", "./10+ten"],
  ]);
});

test("sides stand beside each other", () => {
  const rows = parse(DIFF)[0]?.hunks.flatMap((hunk) => sides(hunk.lines)) ?? [];
  expect(rows.map(({ left, right }) => `${left?.text ?? ""}|${right?.text ?? ""}`)).toEqual(["one|one", "two|2", "three|three", "-- nine|++ nine", "|ten"]);
});

test.each([
  ["", 0],
  ["--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n", 1],
  ["--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", 1],
  ["--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n", 2],
])("files of a diff %j", (diff, count) => {
  const files = parse(diff);
  expect(files).toHaveLength(count);
  for (const file of files) expect(file.path).not.toBe("/dev/null");
});

test.each([
  ["https://a.b/c", true],
  ["http://a.b", true],
  ["mailto:a@b.c", true],
  ["javascript:alert(1)", false],
  ["JaVaScRiPt:alert(1)", false],
  [" javascript:alert(1)", false],
  ["java\nscript:alert(1)", false],
  ["data:text/html,<script>", false],
  ["vbscript:x", false],
  ["file:///etc/passwd", false],
  ["/relative", false],
  ["//host/x", false],
])("address %j", (address, safe) => {
  expect(safeAddress(address) !== null).toBe(safe);
});

const MARKDOWN = "# Head\n\nA *para* with `code`.\r\n\n- one\n- two\n  - three\n\n```rust\nfn main() {}\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n<script>alert(1)</script>\n\nEnd.";

test("Markdown that grows character by character ends as what it is", () => {
  let reading = NOTHING;
  for (let length = 1; length <= MARKDOWN.length; length++) reading = read(reading, MARKDOWN.slice(0, length));
  const whole = read(NOTHING, MARKDOWN);
  expect(reading.blocks.map((block) => block.token.type)).toEqual(whole.blocks.map((block) => block.token.type));
  expect(reading.blocks.map((block) => block.raw).join("")).toBe(MARKDOWN.replaceAll("\r\n", "\n"));
});

test("blocks before the end stay the very same", () => {
  const before = read(NOTHING, "one\n\ntwo\n\nthree\n\nfour");
  const after = read(before, "one\n\ntwo\n\nthree\n\nfour and more");
  expect(after.blocks[0]).toBe(before.blocks[0]);
});

test.each([
  ["&lt;b&gt; &amp;&#65;&#x42;", "<b> &AB"],
  ["&nosuch; &#0; &#x110000;", "&nosuch; &#0; &#x110000;"],
])("unescape %j", (text, expected) => expect(unescape(text)).toBe(expected));

test("highlighting keeps every character", () => {
  const code = 'fn main() { println!("<b>{}</b>", 1); } // &amp;\n';
  for (const language of ["rust", "bash", "toml", "html", "nosuch"]) {
    expect(highlight(code, language).map((token) => token.text).join("")).toBe(code);
  }
  expect(highlight(code, "rust").some((token) => token.scope === "keyword" && token.text === "fn")).toBe(true);
});

test("words for numbers and states", () => {
  expect([999, 1234, 123_456, 1_234_567].map(tokens)).toEqual(["999", "1.2k", "123k", "1.2M"]);
  expect([0, 0.0012, 1.5].map(money)).toEqual(["$0", "$0.0012", "$1.50"]);
  expect([12, 1500, 61_000].map(duration)).toEqual(["12 ms", "1.5 s", "1 min 1 s"]);
  expect(usageLine({ input: 1, output: 2, cached: 0, reasoning: 3, cost: 0.5 })).toBe("1 in · 2 out · 3 reasoning · $0.50");
  expect(dotOf("waiting").tone).toBe("waiting");
});
