// The fold, as tables: changes in, what is drawn out.

import { expect, test } from "vitest";

import { apply, applyLive, callOf, drawn, empty, type Conversation, type Live } from "./fold";
import type { Body, Change } from "./generated/shapes";

const ID = "11111111-1111-4111-8111-111111111111";
const USAGE = { input: 10, output: 2, cached: 4, reasoning: 1 };

function changes(...bodies: Body[]): Change[] {
  return bodies.map((body, seq) => ({ conversationId: ID, seq, at: "2026-01-01T00:00:00Z", body }));
}

function folded(...bodies: Body[]): Conversation {
  return apply(empty(ID), changes(...bodies));
}

/** What is drawn, a line an item. */
function lines(conversation: Conversation): string[] {
  return drawn(conversation).map((item) => {
    switch (item.kind) {
      case "prompt":
        return `you${item.queued ? " (queued)" : ""}: ${item.text}`;
      case "reply":
        return `${item.state}: ${item.reasoning ? `(${item.reasoning}) ` : ""}${item.text}`;
      case "answer":
        return `answer: ${item.text}`;
      case "call":
        return `${item.call.toolName} ${item.call.state}: ${item.call.output}`;
      case "note":
        return `${item.tone}: ${item.text}`;
    }
  });
}

const opened: Body = { kind: "opened", model: "openai/test", profile: "web", directory: "/x" };
const prompt = (text: string): Body => ({ kind: "prompt", text });
const asked: Body = { kind: "asked", model: "openai/test", summary: false };
const replied = (text: string, ...calls: [string, string, string][]): Body => ({
  kind: "replied",
  text,
  reasoning: "",
  calls: calls.map(([callId, toolName, args]) => ({ callId, toolName, arguments: args })),
  finish: "stop",
  usage: USAGE,
});
const judged = (callId: string, verdict: "ask" | "approve" | "decline" | "allow" | "forbid"): Body => ({
  kind: "judged",
  callId,
  verdict,
  by: verdict === "ask" ? "policy" : "person",
  reason: verdict === "ask" ? "it writes" : "",
  digest: "d1",
});
const ran = (callId: string, status: "done" | "failed" | "declined", output: string): Body => ({
  kind: "ran",
  callId,
  status,
  output,
  undoable: false,
});
const stopped = (reason: "done" | "cancelled" | "bound" | "failed"): Body => ({ kind: "stopped", reason });

const CASES: [string, Body[], string[], Conversation["phase"]][] = [
  ["nothing", [opened], [], "new"],
  ["a prompt before it is asked", [opened, prompt("hi")], ["you: hi"], "asking"],
  ["a reply in progress", [opened, prompt("hi"), asked], ["you: hi", "live: "], "asking"],
  ["a whole run", [opened, prompt("hi"), asked, replied("Hello."), stopped("done")], ["you: hi", "whole: Hello."], "done"],
  [
    "the final answer is words, not a call",
    [opened, prompt("hi"), asked, replied("", ["c1", "final_output", '{"output":"42"}']), ran("c1", "done", ""), stopped("done")],
    ["you: hi", "answer: 42"],
    "done",
  ],
  [
    "an answer that failed is a call again",
    [opened, prompt("hi"), asked, replied("", ["c1", "final_output", '{"output":"42"}']), ran("c1", "failed", "no")],
    ["you: hi", "final_output failed: no"],
    "working",
  ],
  [
    "an answer without words is a call",
    [opened, prompt("hi"), asked, replied("", ["c1", "final_output", "{}"])],
    ["you: hi", "final_output new: "],
    "working",
  ],
  [
    "text beside two calls",
    [opened, prompt("x"), asked, replied("Both.", ["c1", "shell", "{}"], ["c2", "shell", "{}"]), judged("c1", "ask"), judged("c2", "ask")],
    ["you: x", "whole: Both.", "shell waiting: ", "shell waiting: "],
    "waiting",
  ],
  [
    "words said while busy wait for the next request",
    [opened, prompt("a"), asked, prompt("b"), replied("A.", ["c1", "view_file", "{}"]), ran("c1", "done", "ok"), asked],
    ["you: a", "whole: A.", "view_file done: ok", "you: b", "live: "],
    "asking",
  ],
  ["queued words stand last", [opened, prompt("a"), asked, prompt("b")], ["you: a", "live: ", "you (queued): b"], "asking"],
  [
    "a reply that broke off",
    [opened, prompt("a"), asked, { kind: "failed", message: "It broke.", hint: "Try.", partial: "Hel" }, stopped("failed")],
    ["you: a", "broken: Hel", "error: It broke."],
    "failed",
  ],
  [
    "the bound",
    [opened, prompt("a"), asked, replied("x"), stopped("bound")],
    ["you: a", "whole: x", "warning: The limit of model calls in one run was reached."],
    "bound",
  ],
  [
    "a wish for less",
    [opened, prompt("a"), asked, replied("x"), stopped("done"), { kind: "shortened" }],
    ["you: a", "whole: x", "quiet: Earlier messages are summed up when the model is asked again, unless they are few."],
    "done",
  ],
  ["a stop", [opened, prompt("a"), asked, { kind: "cancelled" }, stopped("cancelled")], ["you: a", "quiet: Stopped."], "cancelled"],
  [
    "a stop within a reply",
    [opened, prompt("a"), asked, { kind: "cancelled" }, { kind: "failed", message: "stopped by the person", hint: "", partial: "Hel" }, stopped("cancelled")],
    ["you: a", "broken: Hel", "quiet: Stopped."],
    "cancelled",
  ],
  [
    "settings and repairs are told",
    [opened, { kind: "configured", model: "x/y" }, { kind: "undone", paths: ["a", "b"] }, { kind: "compacted" }],
    ["quiet: The model is x/y from here on.", "quiet: Put back: a, b", "quiet: Earlier messages were summed up to make room."],
    "new",
  ],
];

test.each(CASES)("%s", (_, bodies, expected, phase) => {
  const conversation = folded(...bodies);
  expect(lines(conversation)).toEqual(expected);
  expect(conversation.phase).toBe(phase);
});

test("one by one, in pages, or all at once: the same", () => {
  for (const [, bodies] of CASES) {
    const all = changes(...bodies);
    const single = all.reduce((state, change) => apply(state, [change]), empty(ID));
    expect(single).toEqual(apply(empty(ID), all));
  }
});

test("what was seen before is passed over", () => {
  for (const [, bodies] of CASES) {
    const all = changes(...bodies);
    const once = apply(empty(ID), all);
    expect(lines(apply(once, all))).toEqual(lines(once));
    expect(apply(once, all).usage).toEqual(once.usage);
  }
});

test("a fold never changes what it was given", () => {
  const before = folded(opened, prompt("a"), asked, replied("", ["c1", "shell", "{}"]), judged("c1", "ask"));
  const copy = structuredClone(before);
  apply(before, changes(opened, opened, opened, opened, opened, judged("c1", "approve"), { kind: "started", callId: "c1" }));
  applyLive(before, [{ kind: "output", conversationId: ID, callId: "c1", offset: 0, text: "x" }]);
  expect(before).toEqual(copy);
});

test("changes of other conversations are not ours", () => {
  const [foreign] = changes(prompt("a"));
  expect(lines(apply(empty("22222222-2222-4222-8222-222222222222"), foreign ? [foreign] : []))).toEqual([]);
});

const asking = folded(opened, prompt("x"), asked, replied("", ["c1", "shell", "{}"], ["c2", "shell", "{}"]), judged("c1", "ask"), judged("c2", "ask"));

test.each<[string, Live[], string[], Conversation["phase"]]>([
  ["decided elsewhere", [{ kind: "decided", callId: "c1", decision: "declined", by: "person" }], ["c2"], "waiting"],
  [
    "both decided, in any order",
    [
      { kind: "decided", callId: "c2", decision: "approved", by: "person" },
      { kind: "decided", callId: "c1", decision: "declined", by: "person" },
    ],
    [],
    "working",
  ],
  ["an unknown call", [{ kind: "decided", callId: "c9", decision: "approved", by: "person" }], ["c1", "c2"], "waiting"],
])("pending: %s", (_, news, pending, phase) => {
  const now = applyLive(asking, news);
  expect(now.pending).toEqual(pending);
  expect(now.phase).toBe(phase);
});

test("an approval carries the reason and the digest that were shown", () => {
  expect(callOf(asking, "c1")).toMatchObject({ state: "waiting", reason: "it writes", digest: "d1" });
});

test("a run that nobody drives any more is told once, and can go on", () => {
  const told: Live = { kind: "interrupted", message: "It was interrupted.", hint: "Continue." };
  const running = applyLive(folded(opened, prompt("x"), asked), [delta("text", 0, "Hel"), told, told]);
  expect(lines(running)).toEqual(["you: x", "broken: Hel", "warning: It was interrupted."]);
  expect(running.phase).toBe("interrupted");
  const again = applyLive(folded(opened, prompt("x"), asked, replied("y"), stopped("done")), [told]);
  expect(again.phase).toBe("done");
});

const delta = (kind: "text" | "reasoning", offset: number, text: string): Live => ({ kind, conversationId: ID, offset, text });

test.each<[string, Live[], string]>([
  ["in order", [delta("text", 0, "Hel"), delta("text", 3, "lo")], "live: Hello"],
  ["said twice", [delta("text", 0, "Hel"), delta("text", 1, "el"), delta("text", 3, "lo")], "live: Hello"],
  ["a gap waits for the record", [delta("text", 0, "Hel"), delta("text", 9, "!")], "live: Hel"],
  ["offsets count UTF-16 units", [delta("text", 0, "🙂"), delta("text", 2, "!")], "live: 🙂!"],
  ["reasoning, then text", [delta("reasoning", 0, "hm"), delta("text", 0, "A")], "live: (hm) A"],
  ["a retry begins anew", [delta("reasoning", 0, "hm"), delta("text", 0, "A"), delta("reasoning", 0, "oh")], "live: (oh) "],
  ["a retry is told", [delta("text", 0, "A"), { kind: "retry", message: "again in 2 s" }], "live: "],
])("deltas: %s", (_, news, expected) => {
  expect(lines(applyLive(folded(opened, prompt("x"), asked), news)).at(-1)).toBe(expected);
});

test("a reply keeps its key when it becomes whole", () => {
  const live = applyLive(folded(opened, prompt("x"), asked), [delta("text", 0, "A")]);
  const whole = apply(live, changes(opened, prompt("x"), asked, replied("A.")));
  expect(drawn(whole).at(-1)?.key).toBe(drawn(live).at(-1)?.key);
  expect(lines(whole).at(-1)).toBe("whole: A.");
});

test("output comes as it is printed, and the record has the last word", () => {
  const output = (offset: number, text: string): Live => ({ kind: "output", conversationId: ID, callId: "c1", offset, text });
  const running = applyLive(asking, [output(0, "a\n"), output(2, "b\n"), output(1, "\nb\n"), output(99, "lost")]);
  expect(callOf(running, "c1")?.output).toBe("a\nb\n");
  const long = applyLive(running, [output(4, "x".repeat(250_000))]);
  expect(callOf(long, "c1")).toMatchObject({ dropped: 50_004 });
  const seq = asking.seq + 1;
  const done = apply(long, [{ conversationId: ID, seq, at: "", body: ran("c1", "done", "a b") }]);
  expect(callOf(done, "c1")).toMatchObject({ output: "a b", state: "done", dropped: 0 });
  expect(done.pending).toEqual(["c2"]);
});

test("usage adds up, and the server's totals win", () => {
  const twice = folded(opened, prompt("a"), asked, replied("x"), asked, replied("y"));
  expect(twice.usage).toEqual({ input: 20, output: 4, cached: 8, reasoning: 2 });
  const told = applyLive(twice, [{ kind: "usage", usage: { ...USAGE, cost: 0.5 } }]);
  expect(told.usage).toEqual({ ...USAGE, cost: 0.5 });
});

test("ten thousand changes fold in a moment", () => {
  const many = changes(opened, ...Array.from({ length: 5000 }, (_, at) => [prompt(`p${at}`), asked, replied(`r${at}`)]).flat());
  const begun = performance.now();
  expect(drawn(apply(empty(ID), many)).length).toBe(10_000);
  expect(performance.now() - begun).toBeLessThan(500);
});
