// Saying something and reading the answer: streams, queues, stops, reloads, several tabs, a lost server.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";

import { calls, closeBrowser, final, main, say, says, shell, world } from "./world.mjs";

after(closeBrowser);

test("a prompt is answered, and the address leads back to it", async (t) => {
  const here = await world(t, [says("Let me **think**."), final("It is `42`.")]);
  const page = await here.page();
  await say(page, "What is it?");
  await main(page).getByText("It is 42.").waitFor();
  assert.equal(await page.locator(".prose strong").first().textContent(), "think");
  assert.match(page.url(), /\/c\/[0-9a-f-]{36}$/);
  assert.equal(await page.getByRole("navigation").getByRole("link", { name: /What is it\?/ }).count(), 1);
  await page.getByText(/in · \d+ out/).waitFor();
  await page.reload();
  await main(page).getByText("It is 42.").waitFor();
  assert.equal(await main(page).locator(".bubble").count(), 1);
});

test("Enter before the page is connected sends once it is", async (t) => {
  const here = await world(t, [final("Heard.")]);
  const page = await (await here.context()).newPage();
  let connect;
  const connected = new Promise((done) => (connect = done));
  await page.route("**/negotiate*", async (route) => {
    await connected;
    await route.continue();
  });
  await here.signIn(page);
  await say(page, "Go.");
  assert.equal(await page.getByRole("textbox", { name: "Message" }).inputValue(), "Go.");
  connect();
  await main(page).getByText("Heard.").waitFor();
  assert.equal(await page.locator(".bubble").count(), 1);
});

test("text is shown while it streams, and Stop ends it", async (t) => {
  const here = await world(t, [says("word ".repeat(4000), { text_every: 5, slow_ms: 20 }), final("Not reached.")]);
  const page = await here.page();
  await say(page, "Talk.");
  await main(page).getByText(/word word word/).waitFor();
  const before = (await page.locator(".reply").last().textContent())?.length ?? 0;
  await page.waitForFunction((length) => (document.querySelector(".reply")?.textContent?.length ?? 0) > length, before);
  await page.getByRole("button", { name: "Stop" }).click();
  await main(page).getByText("Stopped.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0);
  await main(page).getByText("The reply broke off here.").waitFor();
  assert.deepEqual(await page.locator(".note").allTextContents(), ["Stopped."]);
  await page.reload();
  await main(page).getByText("The reply broke off here.").waitFor();
  assert.deepEqual(await page.locator(".note").allTextContents(), ["Stopped."]);
});

test("Shift+Enter makes a line, Enter sends both", async (t) => {
  const here = await world(t, [final("ok")]);
  const page = await here.page();
  const box = page.getByRole("textbox", { name: "Message" });
  await box.pressSequentially("one");
  await box.press("Shift+Enter");
  await box.pressSequentially("two");
  assert.equal(await box.inputValue(), "one\ntwo");
  await box.press("Enter");
  await main(page).locator(".answer").getByText("ok").waitFor();
  assert.equal(await page.locator(".bubble").textContent(), "one\ntwo");
  assert.equal(await box.inputValue(), "");
});

test("words said while it is busy are heard next", async (t) => {
  const here = await world(t, [shell("while [ ! -e go ]; do sleep 0.05; done"), final("Heard both.")]);
  const page = await here.page();
  await say(page, "First.");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.locator('.call[data-state="running"]').waitFor();
  await say(page, "Second.");
  await page.getByText("queued, heard next").waitFor();
  writeFileSync(`${here.work}/go`, "");
  await main(page).getByText("Heard both.").waitFor();
  assert.deepEqual(await page.locator(".bubble").allTextContents(), ["First.", "Second."]);
  assert.equal(await page.getByText("queued, heard next").count(), 0);
});

test("two tabs see the same, live", async (t) => {
  const here = await world(t, [says("stream ".repeat(40), { text_every: 7, slow_ms: 15 }), final("Done for both.")]);
  const one = await here.page();
  await say(one, "Go.");
  await main(one).getByText(/stream stream/).waitFor();
  const two = await one.context().newPage();
  await two.goto(one.url());
  await main(two).getByText(/stream stream/).waitFor();
  for (const page of [one, two]) await main(page).getByText("Done for both.").waitFor();
  assert.equal(await one.locator(".reply").first().textContent(), await two.locator(".reply").first().textContent());
});

test("a server that goes away is told, and its return found", async (t) => {
  const here = await world(t, [final("First."), final("Second.")]);
  const page = await here.page();
  await say(page, "one");
  await main(page).getByText("First.").waitFor();
  await here.kill();
  await page.getByText("The connection is gone.").waitFor();
  await here.serve();
  await page.getByText("The connection is gone.").waitFor({ state: "detached" });
  await say(page, "two");
  await main(page).getByText("Second.").waitFor();
  assert.deepEqual(await page.locator(".bubble").allTextContents(), ["one", "two"]);
});

test("output of a command is shown as it is printed, in colour, its controls named", async (t) => {
  const command = "printf '\\033[31mred\\033[0m\\a\\n'; while [ ! -e go ]; do sleep 0.05; done; echo end";
  const here = await world(t, [shell(command), final("Ran.")]);
  const page = await here.page();
  await say(page, "Run it.");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.locator(".output .a-f1", { hasText: "red" }).waitFor();
  await page.locator(".output .hidden-mark", { hasText: "U+0007" }).waitFor();
  writeFileSync(`${here.work}/go`, "");
  await main(page).getByText("Ran.").waitFor();
});

test("a model that fails says so, and can be tried again", async (t) => {
  const here = await world(t, [{ status: 401 }, final("Better.")]);
  const page = await here.page();
  await say(page, "Go.");
  await page.locator(".note[data-tone=error]").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await main(page).getByText("Better.").waitFor();
});

test("sessions are searched, renamed and deleted", async (t) => {
  const here = await world(t, [final("a"), final("b")]);
  const page = await here.page();
  const nav = page.getByRole("navigation");
  for (const [prompt, answer] of [["Apples please", "a"], ["Bananas please", "b"]]) {
    await page.getByRole("button", { name: "New Session" }).click();
    await say(page, prompt);
    await main(page).locator(".answer").getByText(answer, { exact: true }).waitFor();
  }
  await page.getByRole("searchbox").fill("banan");
  await nav.getByRole("link", { name: /Apples/ }).waitFor({ state: "detached" });
  await page.getByRole("searchbox").fill("");
  await nav.getByRole("link", { name: /Apples/ }).hover();
  await nav.getByRole("button", { name: "Rename Apples please" }).click();
  await nav.getByRole("textbox", { name: "New name" }).fill("Pears");
  await nav.getByRole("textbox", { name: "New name" }).press("Enter");
  await nav.getByRole("link", { name: /Pears/ }).waitFor();
  await nav.getByRole("link", { name: /Bananas/ }).hover();
  await nav.getByRole("button", { name: /Delete Bananas/ }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await nav.getByRole("link", { name: /Bananas/ }).waitFor({ state: "detached" });
  const left = await here.rest("GET", "/api/conversations");
  assert.deepEqual(left.map((one) => one.topic), ["Pears"]);
});

test("an edit is shown as a diff and can be put back", async (t) => {
  const edit = calls(["replace_text", { path: "a.txt", oldText: "two", newText: "2" }]);
  const here = await world(t, [edit, final("Edited.")], { files: { "a.txt": "one\ntwo\nthree\n" } });
  const page = await here.page();
  await say(page, "Edit.");
  await page.getByRole("button", { name: "Approve" }).click();
  await main(page).getByText("Edited.").waitFor();
  await page.locator(".diff .minus", { hasText: "two" }).waitFor();
  await page.getByRole("button", { name: "Side by side" }).click();
  await page.locator('.diff[data-layout="sides"]').waitFor();
  await page.getByRole("button", { name: "Undo this edit…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator(".diff .plus", { hasText: "two" }).waitFor();
  await dialog.getByRole("button", { name: "Put back" }).click();
  await main(page).getByText("Put back: a.txt").waitFor();
  assert.equal(readFileSync(`${here.work}/a.txt`, "utf8"), "one\ntwo\nthree\n");
});
