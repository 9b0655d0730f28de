// What goes wrong and how the page says so: another token, a file that somebody else changed, a server that died.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";

import { approve, calls, closeBrowser, final, main, say, wire, world } from "./world.mjs";

after(closeBrowser);

test("a page whose token no longer counts says so and where to go", async (t) => {
  const here = await world(t, [final("Hello.")]);
  const page = await here.page();
  await say(page, "Hi.");
  await main(page).getByText("Hello.").waitFor();
  await here.kill();
  rmSync(`${here.work}/.cinque/token`);
  await here.serve();
  await page.getByRole("alert").getByText("This page is no longer signed in. Open the address that the server printed").waitFor();
  await page.goto(here.address);
  await page.getByRole("navigation").getByRole("link", { name: /Hi/ }).click();
  await main(page).getByText("Hello.").waitFor();
  assert.equal(await page.getByText("no longer signed in").count(), 0);
});

test("an edit of a file that changed since is put back only when a person insists", async (t) => {
  const edit = calls(["replace_text", { path: "a.txt", oldText: "two", newText: "2" }]);
  const here = await world(t, [edit, final("Edited.")], { files: { "a.txt": "one\ntwo\n" } });
  const page = await here.page();
  await say(page, "Edit.");
  await page.getByRole("button", { name: "Approve" }).click();
  await main(page).getByText("Edited.").waitFor();
  const file = `${here.work}/a.txt`;
  writeFileSync(file, "one\n2\nmine\n");
  await page.getByRole("button", { name: "Undo this edit…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator(".warning", { hasText: "a.txt" }).waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Put back", exact: true }).count(), 0);
  await dialog.getByRole("button", { name: "Leave as it is" }).click();
  assert.equal(readFileSync(file, "utf8"), "one\n2\nmine\n");
  await page.getByRole("button", { name: "Undo this edit…" }).click();
  await dialog.getByRole("button", { name: "Put back all the same" }).click();
  await main(page).getByText("Put back: a.txt").waitFor();
  assert.equal(readFileSync(file, "utf8"), "one\ntwo\n");
});

test("a run whose server died is told as interrupted, and can be continued", async (t) => {
  const model = await wire(t, (_, number) => (number === 1 ? null : final("At last.")));
  const here = await world(t, null, { wire: model });
  const page = await here.page();
  await say(page, "Go.");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  while (model.requests.length === 0) await page.waitForTimeout(20);
  await here.restart();
  await main(page).getByText("The run was interrupted").waitFor();
  const [listed] = await here.rest("GET", "/api/conversations");
  assert.equal(listed.status, "interrupted");
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0);
  await page.getByRole("button", { name: "Continue" }).click();
  await main(page).getByText("At last.").waitFor();
  assert.equal(model.requests.length, 2);
});

test("a run that failed says so once, with the way on in reach", async (t) => {
  const here = await world(t, [{ status: 401 }, final("Now it answers.")]);
  const page = await here.page();
  await say(page, "Go.");
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  await page.waitForTimeout(300);
  assert.equal(await page.locator(".notice").count(), 0);
  await again.click();
  await main(page).getByText("Now it answers.").waitFor();
});

test("what is decided while the server is away counts when it is back", async (t) => {
  const edit = calls(["replace_text", { path: "a.txt", oldText: "two", newText: "2" }]);
  const here = await world(t, [edit, final("Made.")], { files: { "a.txt": "one\ntwo\n" } });
  const page = await here.page();
  await say(page, "Make it.");
  await approve(page).waitFor();
  await here.kill();
  await page.getByText("The connection is gone.").waitFor();
  await approve(page).click();
  await here.serve();
  await main(page).getByText("Made.").waitFor();
  assert.equal(readFileSync(`${here.work}/a.txt`, "utf8"), "one\n2\n");
});
