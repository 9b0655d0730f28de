// What a person chooses, seen at the model's wire: the model, the profile, less history, and a model that is a person.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";

import { closeBrowser, final, main, say, says, wire, world } from "./world.mjs";

after(closeBrowser);

const tools = (request) => (request.tools ?? []).map((tool) => tool.function.name);
/** Ends the run in whatever way the profile has for it, and says which request it was. */
const answer = (request, number) => (tools(request).includes("final_output") ? final(`Answer ${number}.`) : says(`Answer ${number}.`));

async function begun(t, reply = answer, options = {}) {
  const model = await wire(t, reply);
  const here = await world(t, null, { wire: model, ...options });
  return { here, model, page: await here.page() };
}

async function choose(page, model) {
  const box = page.getByRole("combobox", { name: "Model" });
  await box.fill(model);
  await box.press("Enter");
}

test("the chosen model is asked, from the first request and from the next one on", async (t) => {
  const { page, model } = await begun(t);
  await choose(page, "openai/first");
  await say(page, "One.");
  await main(page).getByText("Answer 1.").waitFor();
  await choose(page, "openai/second");
  await main(page).getByText("The model is openai/second from here on.").waitFor();
  await say(page, "Two.");
  await main(page).getByText("Answer 2.").waitFor();
  assert.deepEqual(model.requests.map((request) => request.model), ["first", "second"]);
});

test("the chosen profile brings its own tools", async (t) => {
  const { page, model } = await begun(t);
  await page.getByRole("combobox", { name: "Profile" }).selectOption("standard");
  await say(page, "One.");
  await main(page).getByText("Answer 1.").waitFor();
  assert.ok(!tools(model.requests[0]).includes("final_output"), tools(model.requests[0]).join());
  await page.getByRole("link", { name: "New Session" }).or(page.getByRole("button", { name: "New Session" })).click();
  await say(page, "Two.");
  await main(page).getByText("Answer 2.").waitFor();
  assert.ok(tools(model.requests[1]).includes("final_output"), tools(model.requests[1]).join());
});

test("compact sums up before the next request", async (t) => {
  const summary = says("We said hello.");
  const { page, model } = await begun(t, (request, number) => (number === 2 ? summary : answer(request, number)));
  await say(page, `One. ${"And more. ".repeat(2000)}`);
  await main(page).getByText("Answer 1.").waitFor();
  await page.getByRole("button", { name: "Compact" }).click();
  await main(page).getByText("Earlier messages are summed up when the model is asked again, unless they are few.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0, "nothing runs");
  await say(page, "Two.");
  await main(page).getByText("Answer 3.").waitFor();
  const last = JSON.stringify(model.requests.at(-1).messages);
  assert.equal(model.requests.length, 3);
  assert.ok(last.includes("Two.") && last.includes("We said hello."), `the summary stands for what was said: ${last}`);
  assert.ok(!last.includes("And more."), `and it is gone: ${last}`);
});

const carry = async (page, text) => {
  const mailbox = page.getByRole("region", { name: "Mailbox" });
  await mailbox.getByRole("textbox", { name: "Answer" }).fill(text);
  await mailbox.getByRole("button", { name: "Hand in the answer" }).click();
};

const call = (tool, args) => `[CALL tool="${tool}"]\n${JSON.stringify(args)}\n[/CALL]`;
const MAILED = [
  {
    name: "chosen because there is no key",
    options: {},
    begin: (page) => page.getByRole("button", { name: "Use the mailbox" }).click(),
    make: '[CREATE_FILE path="made.txt"]\nhello\n[/CREATE_FILE]',
    end: "[DONE]\nIt is made.\n[/DONE]",
  },
  {
    name: "as the server's model, with the page's own tools",
    options: { model: "mailbox/" },
    make: call("write_file", { path: "made.txt", content: "hello\n" }),
    decide: (page) => page.getByRole("button", { name: "Approve" }).click(),
    end: call("final_output", { output: "It is made." }),
  },
];

for (const { name, options, begin, make, decide, end } of MAILED) {
  test(`the mailbox, ${name}: a person carries each prompt and its answer`, async (t) => {
    const here = await world(t, null, options);
    const context = await here.context({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    await here.signIn(page);
    await begin?.(page);
    await say(page, "Make a file.");
    const mailbox = page.getByRole("region", { name: "Mailbox" });
    const prompt = page.getByLabel("Prompt to carry");
    await prompt.getByText("Sequence: 1").waitFor();
    await mailbox.getByRole("button", { name: /Copy/ }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(copied.includes("=== PROMPT ===") && copied.includes("Make a file."), copied);
    await carry(page, make);
    await decide?.(page);
    await prompt.getByText("Sequence: 2").waitFor();
    assert.equal(readFileSync(`${here.work}/made.txt`, "utf8"), "hello\n");
    await carry(page, end);
    await main(page).getByText("It is made.").waitFor();
    await mailbox.waitFor({ state: "detached" });
  });
}
