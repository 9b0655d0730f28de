// Measures the page for `cargo xtask bench`: one number on standard output.
// Usage: node tools/figures.mjs script | paint

import { readdirSync, statSync } from "node:fs";

import { browser, closeBrowser, world } from "../tests/world.mjs";

const ASSETS = new URL("../dist/assets/", import.meta.url);
const ROUNDS = 7;

/** Kilobytes of all scripts, compressed. */
function script() {
  const names = readdirSync(ASSETS).filter((name) => name.endsWith(".js.gz"));
  return names.reduce((sum, name) => sum + statSync(new URL(name, ASSETS)).size, 0) / 1000;
}

/** Milliseconds to the first paint, each time in a browser that knows nothing of the page yet: the median. */
async function paint() {
  const ends = [];
  try {
    const here = await world({ after: (end) => ends.push(end) }, null);
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      // No request is looked at on its way: that would be measured too.
      const context = await (await browser()).newContext();
      const page = await context.newPage();
      await here.signIn(page);
      await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
      times.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
      await context.close();
    }
    times.sort((a, b) => a - b);
    return times[Math.floor(ROUNDS / 2)];
  } finally {
    for (const end of ends) await end();
    await closeBrowser();
  }
}

console.log(process.argv[2] === "paint" ? await paint() : script());
