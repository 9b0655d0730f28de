// The page as such: on a phone, by keyboard alone, for everybody, and against hostile text.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";

import { approve, calls, card, closeBrowser, final, main, say, says, shell, world } from "./world.mjs";

after(closeBrowser);

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RICH = "# Head\n\nText with `code`, **bold** and [a link](https://example.org).\n\n```rust\nfn main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n> said";

/** What a screen reader's user would stumble over. */
async function check(page, where) {
  // Scripts of others are what the policy refuses; the tool is run from outside the page's world.
  const found = await page.evaluate(`${AXE}; axe.run(document, { resultTypes: ["violations"] })`);
  const told = found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.html} ${node.failureSummary}`).join("\n  ")}`);
  assert.deepEqual(told, [], where);
}

for (const colorScheme of ["light", "dark"]) {
  test(`accessible, ${colorScheme}`, async (t) => {
    const edit = calls(["write_file", { path: "b.txt", content: "one\n" }]);
    const here = await world(t, [{ ...says(RICH), reasoning: "Hm." }, edit, shell("echo hi; exit 3"), { status: 400 }]);
    const page = await here.page("/", { colorScheme });
    await check(page, "empty");
    await say(page, "Go.");
    await card(page).waitFor();
    await check(page, "with a card");
    await approve(page).click();
    await card(page).getByLabel("command", { exact: true }).waitFor();
    await approve(page).click();
    await page.locator(".note[data-tone=error]").waitFor();
    await page.getByRole("button", { name: /^shell/ }).click();
    await page.getByRole("button", { name: "Reasoning" }).click();
    await check(page, "unfolded");
    await page.goto(`${here.origin}/stateless`);
    await check(page, "stateless");
  });
}

test("on a phone nothing scrolls sideways and fingers find their targets", async (t) => {
  const wide = `${"x".repeat(300)}\n\n\`\`\`\n${"y".repeat(300)}\n\`\`\``;
  const here = await world(t, [says(wide), shell(`echo ${"z".repeat(300)}`), final("Small.")]);
  const page = await here.page("/", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const fits = async (where) => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${where} is ${width} wide`);
    const small = await page.evaluate(() => {
      const shown = [...document.querySelectorAll("button, a[href], input, select, textarea, summary")].filter(
        (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.closest("[inert], .prose p, .skip"),
      );
      const sizes = shown.map((one) => ({ html: one.outerHTML.slice(0, 90), box: one.getBoundingClientRect() }));
      return sizes.filter(({ html, box }) => !html.includes("skip") && (box.height < 43.5 || box.width < 43.5)).map(({ html, box }) => `${html} ${box.width}x${box.height}`);
    });
    assert.deepEqual(small, [], where);
  };
  await fits("empty");
  await say(page, "Go.");
  await card(page).waitFor();
  await fits("with a card");
  await approve(page).tap();
  await main(page).getByText("Small.").waitFor();
  await page.getByRole("button", { name: /^shell/ }).tap();
  await fits("answered");
  await page.getByRole("button", { name: "Sessions" }).tap();
  await page.getByRole("navigation").getByRole("link", { name: /Go\./ }).waitFor();
  await page.waitForTimeout(250);
  await fits("with the drawer");
  await page.getByRole("button", { name: "New Session" }).tap();
  await page.getByText("What shall we work on?").waitFor();
  await page.locator(".side").waitFor({ state: "hidden" });
  assert.equal(await page.getByRole("button", { name: "New Session" }).count(), 1);
});

test("everything works without a pointer", async (t) => {
  const here = await world(t, [shell("touch made"), final("No mouse.")]);
  const page = await here.page();
  /** Tab finds its way, and every stop on it can be seen. */
  const reach = async (key, name) => {
    for (let stops = 0; stops < 40; stops++) {
      await page.keyboard.press(key);
      const seen = await page.evaluate(() => {
        // Between the last stop and the first, the focus is the browser's.
        const one = document.activeElement === document.body ? null : document.activeElement;
        if (!one) return { name: "", marked: true };
        const style = one ? getComputedStyle(one) : null;
        const parent = one?.parentElement ? getComputedStyle(one.parentElement) : null;
        return { name: one?.textContent ?? "", marked: style?.outlineStyle !== "none" || parent?.boxShadow !== "none" };
      });
      assert.ok(seen.marked, `focus cannot be seen on ${seen.name}`);
      if (seen.name.startsWith(name)) return;
    }
    assert.fail(`${name} is not reached`);
  };
  await reach("Tab", "Skip to the message box");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Go.");
  await page.keyboard.press("Enter");
  await card(page).waitFor();
  await reach("Shift+Tab", "Approve");
  await page.keyboard.press("Enter");
  await main(page).getByText("No mouse.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "message");
});

const HOSTILE = [
  "<script>window.pwned = 1</script>",
  "<img src=x onerror='window.pwned = 2'>",
  "[click](javascript:window.pwned=3)",
  "[click](JaVaScRiPt&#58;window.pwned=4)",
  "![picture](https://evil.example/track.png)",
  "![x](javascript:window.pwned=5)",
  '<a href="javascript:window.pwned=6">click</a>',
  "<iframe src='https://evil.example'></iframe>",
  "<svg onload='window.pwned = 7'></svg>",
  "<https://evil.example/auto>",
  "[a]: javascript:window.pwned=8\n\n[click][a]",
  "```<img src=x onerror=window.pwned=9>\ncode\n```",
  '[x](https://a.b/"onmouseover="window.pwned=10)',
  "<style>body{display:none}</style>",
  "<base href='https://evil.example/'><form action='https://evil.example'><input></form>",
];

test("hostile Markdown is text", async (t) => {
  const here = await world(t, [says(HOSTILE.join("\n\n")), final(HOSTILE.join("\n\n"))]);
  const page = await here.page();
  await say(page, HOSTILE.join("\n"));
  await page.locator(".answer").waitFor();
  for (const link of await page.locator(".messages a").all()) {
    assert.match((await link.getAttribute("href")) ?? "", /^https?:/);
  }
  assert.equal(await page.locator(".messages :is(script, img, iframe, style, form, base, object, embed)").count(), 0);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.ok(await page.locator(".answer").isVisible());
});

test("without a key the page says what to do, and the demo works", async (t) => {
  const here = await world(t, null);
  const page = await here.page();
  const missing = await page.getByRole("region", { name: "No model yet" }).textContent();
  assert.match(missing, /choose the model ollama/);
  assert.doesNotMatch(missing, /(^|\s)-\w/, "a page has no options");
  await page.getByRole("button", { name: "Use the mailbox" }).waitFor();
  await page.getByRole("button", { name: "Watch the recorded demo" }).click();
  await page.waitForURL(/\/c\//);
  await page.locator(".bubble").first().waitFor();
});

test("the stateless view sends its own history", async (t) => {
  const here = await world(t, [says("Answer one."), says("Answer two.")]);
  const page = await here.page("/stateless");
  await say(page, "One?");
  await main(page).getByText("Answer one.").waitFor();
  const sent = page.waitForRequest((request) => request.url().endsWith("/api/agent"));
  await say(page, "Two?");
  const body = (await sent).postDataJSON();
  assert.deepEqual([body.prompt, body.toolType, body.contextHistory.length], ["Two?", "auto", 1]);
  assert.deepEqual([body.contextHistory[0].prompt, body.contextHistory[0].result], ["One?", "Answer one."]);
  await main(page).getByText("Answer two.").waitFor();
});

test("a conversation that is not there says so", async (t) => {
  const here = await world(t, []);
  const page = await here.page("/c/00000000-0000-4000-8000-000000000000");
  await page.getByText("not found").waitFor();
  await page.getByRole("link", { name: "To the beginning" }).click();
  await page.getByText("What shall we work on?").waitFor();
});
