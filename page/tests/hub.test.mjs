// The hub as a program sees it, with the stock SignalR client, unchanged.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { HubConnectionBuilder, LogLevel } from "@microsoft/signalr";

import { calls, final, says, shell, world } from "./world.mjs";

const CALLBACKS = [
  "ReceiveAgentResponse",
  "ReceiveToolCall",
  "RequestPermission",
  "AgentCompleted",
  "MaxIterationsReached",
  "RequestCancelled",
  "ReceiveChange",
  "ReceiveTextDelta",
  "ToolCallDecided",
];

/** A connected client that notes what it is told, and can wait for it. */
async function client(t, here) {
  const connection = new HubConnectionBuilder()
    .withUrl(`${here.origin}/hubs/coding`, { accessTokenFactory: () => here.token })
    .withAutomaticReconnect([0, 100, 200, 400, 800, 1600])
    .configureLogging(LogLevel.None)
    .build();
  const told = [];
  const waiting = new Set();
  for (const name of CALLBACKS) {
    connection.on(name, (...args) => {
      told.push([name, ...args]);
      for (const look of waiting) look();
    });
  }
  await connection.start();
  t.after(() => connection.stop());
  const hears = (name, fits = () => true) =>
    new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`${name} was not told: ${JSON.stringify(told)}`)), 10_000);
      const look = () => {
        const found = told.find(([one, ...args]) => one === name && fits(...args));
        if (!found) return;
        clearTimeout(timer);
        waiting.delete(look);
        done(found.slice(1));
      };
      waiting.add(look);
      look();
    });
  /** What was told of some kinds, in order. */
  const heard = (...names) => told.filter(([name]) => names.includes(name));
  return { connection, hears, heard, told };
}

const refused = (promise, words) => assert.rejects(promise, (error) => error.message.includes(words) || assert.fail(error.message));

test("a run, as the contract tells it", async (t) => {
  const read = calls(["view_file", { path: "a.txt", from: 1, to: -1 }]);
  const here = await world(t, [says("Looking."), read, shell("touch made", "call_1"), final("Done it.")], { files: { "a.txt": "hi\n" } });
  const { connection, heard, hears } = await client(t, here);
  const id = randomUUID();
  await connection.invoke("SubmitPrompt", id, "Go.");
  assert.deepEqual(await hears("RequestPermission"), ["call_1", "shell", { command: "touch made" }]);
  assert.ok(!existsSync(`${here.work}/made`));
  await connection.invoke("ApproveToolCall", id, "call_1");
  await hears("AgentCompleted");
  assert.ok(existsSync(`${here.work}/made`));
  assert.deepEqual(heard("ReceiveAgentResponse", "ReceiveToolCall", "AgentCompleted"), [
    ["ReceiveAgentResponse", "Looking."],
    ["ReceiveToolCall", "view_file", { path: "a.txt", from: "1", to: "-1" }],
    ["ReceiveToolCall", "shell", { command: "touch made" }],
    ["ReceiveAgentResponse", "Done it."],
    ["AgentCompleted"],
  ]);
});

test("what cannot be is an error, and nothing runs", async (t) => {
  const here = await world(t, [shell("touch made", "call_1"), final("No.")]);
  const { connection, hears } = await client(t, here);
  const id = randomUUID();
  await refused(connection.invoke("ApproveToolCall", id, "call_1"), `No conversation found for id ${id}`);
  await connection.invoke("SubmitPrompt", id, "Go.");
  await hears("RequestPermission");
  await assert.rejects(connection.invoke("ApproveToolCall", id, "call_2"));
  await assert.rejects(connection.invoke("SubmitPrompt", "no guid", "Go."));
  await assert.rejects(connection.invoke("approvetoolcall", id, "call_1"));
  await connection.invoke("DeclineToolCall", id, "call_1");
  await hears("AgentCompleted");
  await assert.rejects(connection.invoke("ApproveToolCall", id, "call_1"));
  assert.ok(!existsSync(`${here.work}/made`));
});

test("everybody who joined is told, and the first decision wins", async (t) => {
  const here = await world(t, [shell("touch made", "call_1"), final("Once.")]);
  const [one, two] = [await client(t, here), await client(t, here)];
  const id = randomUUID();
  await one.connection.invoke("SubmitPrompt", id, "Go.");
  await two.connection.invoke("JoinConversation", id, -1);
  assert.equal((await two.hears("RequestPermission"))[0], "call_1");
  const decided = await Promise.allSettled([
    one.connection.invoke("ApproveToolCall", id, "call_1"),
    two.connection.invoke("ApproveToolCall", id, "call_1"),
  ]);
  assert.deepEqual(decided.map((one) => one.status).sort(), ["fulfilled", "rejected"]);
  for (const each of [one, two]) {
    await each.hears("AgentCompleted");
    assert.equal((await each.hears("ToolCallDecided"))[0].callId, "call_1");
  }
  assert.equal(one.heard("ReceiveToolCall").length, 1);
});

test("a stream is cancelled on the connection that began it", async (t) => {
  const here = await world(t, [says("word ".repeat(2000), { text_every: 5, slow_ms: 20 })]);
  const { connection, hears } = await client(t, here);
  const id = randomUUID();
  const run = connection.invoke("SubmitPrompt", id, "Talk.");
  await hears("ReceiveTextDelta", ({ offset }) => offset > 20);
  await connection.invoke("CancelRequest", id);
  await hears("RequestCancelled");
  await run;
});

test("a client that reconnects misses nothing and hears nothing twice", async (t) => {
  const here = await world(t, [shell("true && touch made", "call_1"), final("After.")]);
  const first = await client(t, here);
  const id = randomUUID();
  await first.connection.invoke("SubmitPrompt", id, "Go.");
  await first.hears("RequestPermission");
  const back = new Promise((done) => first.connection.onreconnected(done));
  await here.restart();
  await back;
  const changes = () => first.heard("ReceiveChange").map(([, change]) => change.seq);
  const last = Math.max(-1, ...changes());
  const { seq } = await first.connection.invoke("JoinConversation", id, last);
  assert.ok(seq >= last);
  await first.connection.invoke("ApproveToolCall", id, "call_1");
  await first.hears("ReceiveAgentResponse", (text) => text === "After.");
  const seen = changes().filter((seq) => seq > last);
  assert.deepEqual(seen, [...new Set(seen)]);
  assert.ok(existsSync(`${here.work}/made`));
});
