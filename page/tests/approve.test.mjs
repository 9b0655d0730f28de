// Calls that wait for a person: approved, declined, with words, always; from anywhere, once, also after a crash.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, test } from "node:test";

import { approve, calls, card, closeBrowser, decline, final, main, say, says, shell, world } from "./world.mjs";

after(closeBrowser);

const TOUCH = shell("touch made", "call_1");
const two = {
  calls: [
    { name: "shell", arguments: { command: "touch first" }, id: "call_1" },
    { name: "shell", arguments: { command: "touch second" }, id: "call_2" },
  ],
};

async function asked(t, replies, options) {
  const here = await world(t, replies, options);
  const page = await here.page();
  if (options?.profile) await page.getByRole("combobox", { name: "Profile" }).selectOption(options.profile);
  await say(page, "Go.");
  await card(page).first().waitFor();
  return { here, page, made: (name) => existsSync(`${here.work}/${name}`) };
}

test("approve runs it", async (t) => {
  const { page, made } = await asked(t, [TOUCH, final("Fine.")]);
  assert.ok(!made("made"));
  await approve(page).click();
  await main(page).getByText("Fine.").waitFor();
  assert.ok(made("made"));
  assert.equal(await card(page).count(), 0);
});

test("decline does not, and the model is told", async (t) => {
  const { page, made } = await asked(t, [TOUCH, final("I see.")]);
  await decline(page).click();
  await main(page).getByText("I see.").waitFor();
  assert.ok(!made("made"));
  await page.locator('.call[data-state="declined"]').waitFor();
});

test("declining with words hands the words over", async (t) => {
  const { here, page } = await asked(t, [TOUCH, final("As you wish.")]);
  await page.getByRole("button", { name: /say why/ }).click();
  await page.getByRole("textbox", { name: "What should it do instead?" }).fill("use another name");
  await page.keyboard.press("Enter");
  await main(page).getByText("As you wish.").waitFor();
  const id = page.url().split("/").at(-1);
  const told = await here.rest("GET", `/api/conversations/${id}`);
  assert.ok(JSON.stringify(told).includes("use another name"), JSON.stringify(told));
});

test("always shows the rule first, and does not ask again", async (t) => {
  const { page, made } = await asked(t, [TOUCH, shell("touch made", "call_2"), final("Twice.")]);
  await page.getByRole("button", { name: "Always…" }).click();
  await page.getByLabel("Rule").getByText("touch").waitFor();
  assert.ok(!made("made"));
  await page.getByRole("button", { name: "Save the rule and run it" }).click();
  await main(page).getByText("Twice.").waitFor();
  assert.ok(made("made"));
});

test("two at once are decided in any order", async (t) => {
  const { page, made } = await asked(t, [two, final("Both settled.")]);
  assert.equal(await card(page).count(), 2);
  await card(page).nth(1).getByRole("button", { name: "Approve" }).click();
  await page.locator('.approvals[data-count="1"]').waitFor();
  await decline(page).click();
  await main(page).getByText("Both settled.").waitFor();
  assert.deepEqual([made("first"), made("second")], [false, true]);
});

test("a card vanishes in the other tab too", async (t) => {
  const { page } = await asked(t, [TOUCH, final("Once.")]);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await card(other).waitFor();
  await approve(other).click();
  await card(page).waitFor({ state: "detached" });
  for (const tab of [page, other]) await main(tab).getByText("Once.").waitFor();
});

test("a deep link brings the card back, also after the server died", async (t) => {
  const { here, page, made } = await asked(t, [TOUCH, final("After all.")]);
  await page.reload();
  await card(page).waitFor();
  // The banner may not be there yet when the new server is.
  const back = page.waitForEvent("websocket");
  await here.restart();
  await back;
  await page.getByText("The connection is gone.").waitFor({ state: "detached" });
  await card(page).waitFor();
  await approve(page).click();
  await main(page).getByText("After all.").waitFor();
  assert.ok(made("made"));
});

test("keys decide, but never while somebody types", async (t) => {
  const { page, made } = await asked(t, [two, shell("touch third", "call_3"), final("By key.")]);
  const box = page.getByRole("textbox", { name: "Message" });
  await box.focus();
  await page.keyboard.type("yny");
  assert.equal(await box.inputValue(), "yny");
  assert.equal(await card(page).count(), 2);
  await box.fill("");
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await page.locator('.approvals[data-count="1"]').waitFor();
  // A second press right away is not meant for the card that slid up.
  await page.keyboard.press("y");
  assert.equal(await card(page).count(), 1);
  await page.waitForTimeout(450);
  await page.keyboard.press("y");
  await card(page).getByLabel("command").getByText("touch third").waitFor();
  await page.keyboard.press("e");
  const words = page.getByRole("textbox", { name: "What should it do instead?" });
  await words.waitFor();
  await page.keyboard.type("no y");
  assert.equal(await words.inputValue(), "no y");
  await page.keyboard.press("Enter");
  await main(page).getByText("By key.").waitFor();
  assert.deepEqual([made("first"), made("second"), made("third")], [false, true, false]);
});

test("commands of the terminal's profile are read as commands", async (t) => {
  const commands = ["touch shared", "printf '%s\\n' one two"];
  const listed = { calls: [{ name: "shell", arguments: { commands, needsApproval: true } }] };
  const { page } = await asked(t, [listed, says("Done.")], { profile: "terminal" });
  const shown = card(page).locator(".command pre");
  assert.deepEqual(await shown.allTextContents(), commands);
  assert.match(await shown.first().evaluate((one) => getComputedStyle(one, "::before").content), /^"\$ "/);
  assert.equal(await card(page).locator(".command ~ .asides").textContent(), "needsApproval true");
  await approve(page).click();
  await main(page).getByText("Done.").waitFor();
  assert.equal(await page.locator(".call .gist").textContent(), "touch shared");
});

for (const [tool, args, rows, profile] of [
  ["replace_text", { path: "a.txt", oldText: "two", newText: "2\u200b" }, ["-two", "+2U+200B"]],
  ["insert_text", { path: "a.txt", line: 1, content: "one and a half" }, ["After line 1", "+one and a half"]],
  ["write_file", { path: "a.txt", content: "- x\n\ny\n" }, ["+- x", "+", "+y"]],
  ["apply_patch", { type: "update_file", path: "a.txt", diff: "@@\n one\n-two\n+2\n" }, ["@@", " one", "-two", "+2"], "terminal"],
]) {
  test(`${tool} is shown as what goes and what comes`, async (t) => {
    const { page } = await asked(t, [calls([tool, args]), final("x")], { files: { "a.txt": "one\ntwo\n" }, profile });
    assert.equal(await card(page).locator(".diff .path").textContent(), "a.txt");
    assert.deepEqual(await card(page).locator(".diff tr").allTextContents(), rows);
    await card(page).getByText("As the model wrote it").click();
    await card(page).getByLabel("Arguments as written").getByText(`"path"`).waitFor();
    await decline(page).click();
  });
}

test("what cannot be seen is named on the card", async (t) => {
  const { page } = await asked(t, [shell("echo safe \u202e# efas\u202c\u200b"), final("x")]);
  const marks = await card(page).locator(".part .hidden-mark").allTextContents();
  assert.deepEqual(marks, ["U+202E", "U+202C", "U+200B"]);
  await card(page).getByText("characters that cannot be seen").waitFor();
  await decline(page).click();
});
