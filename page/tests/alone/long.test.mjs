// A very long conversation. It is measured, so it runs when nothing else does.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { closeBrowser, final, main, say, world } from "../world.mjs";

after(closeBrowser);

/** Only what can be seen is in the document, however much there is. */
async function bounded(page) {
  assert.ok((await page.locator(".row").count()) < 100);
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok(nodes < 5000, `${nodes} elements`);
}

test("5,000 messages open at once and scroll", async (t) => {
  // Many calls in few replies are as many messages, made in seconds; of a tool that is not there, because those cost least.
  const many = (reply) => ({
    text: `## Part ${reply}\n\n${"Words with **weight** and `code`. ".repeat(reply * 3 + 1)}`,
    calls: Array.from({ length: 500 }, (_, at) => ({ name: "nosuchtool", arguments: { path: `file-${at}.txt` }, id: `call_${reply}_${at}` })),
  });
  const here = await world(t, [...Array.from({ length: 10 }, (_, at) => many(at)), final("The end.")]);
  const page = await here.page();
  await say(page, "Be long.");
  await main(page).getByText("The end.").waitFor({ timeout: 60_000 });
  const path = new URL(page.url()).pathname;
  const { messages } = await here.rest("GET", `/api/conversations/${path.split("/").at(-1)}`);
  assert.ok(messages.length >= 5000, `${messages.length} messages`);
  const fresh = await page.context().newPage();
  await fresh.goto(here.origin);
  await fresh.getByRole("navigation").getByRole("link", { name: /Be long/ }).waitFor();
  const { total, server } = await fresh.evaluate(async () => {
    const begun = performance.now();
    document.querySelector("nav .session a").click();
    while (!document.querySelector(".answer")) await new Promise(requestAnimationFrame);
    const asked = performance.getEntriesByType("resource").filter((one) => one.name.includes("/changes"));
    return { total: performance.now() - begun, server: asked.reduce((sum, one) => sum + one.duration, 0) };
  });
  // The program under test was built without optimisation; how fast it answers is another figure.
  t.diagnostic(`opened in ${total.toFixed(0)} ms, of which the server took ${server.toFixed(0)} ms`);
  assert.ok(total - server < 700, `${total - server} ms of the page`);
  await bounded(fresh);
  const frames = await fresh.evaluate(async () => {
    const list = document.querySelector(".messages");
    const times = [];
    let last = performance.now();
    for (let frame = 0; frame < 60; frame++) {
      list.scrollTop -= 400;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times.sort((a, b) => a - b);
  });
  t.diagnostic(`median frame ${frames[30].toFixed(1)} ms, worst ${frames[59].toFixed(1)} ms`);
  assert.ok(frames[30] < 50, `${frames[30]} ms a frame`);
  await bounded(fresh);
  await fresh.evaluate(() => document.querySelector(".messages").scrollTo(0, 0));
  await main(fresh).locator(".bubble").getByText("Be long.").waitFor();
  await bounded(fresh);
  await fresh.getByRole("button", { name: "Go to the newest message" }).click();
  await main(fresh).getByText("The end.").waitFor();
});
