// Takes the pictures of the README: the page in light and dark, on a phone, with a card that waits.
// Usage: node tools/shots.mjs FOLDER

import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { approve, calls, card, closeBrowser, final, main, say, says, shell, world } from "../tests/world.mjs";

const FOLDER = process.argv[2] ?? "shots";
/** A README is read on slow lines too. */
const LARGEST = 150 * 1024;

const ROMAN = `# The value of a roman numeral.
roman() {
  local text=$1 total=0 last=0 now i
  for ((i = 0; i < \${#text}; i++)); do
    now=$(value "\${text:i:1}")
    total=$((total + now))
    last=$now
  done
  echo "$total"
}
`;

const MENDED = `## Mended

The loop added every letter and never *subtracted*. It now walks from the right, and a smaller value before a larger one counts against it:

\`\`\`bash
for ((i = \${#text} - 1; i >= 0; i--)); do
  now=$(value "\${text:i:1}")
  ((now < last)) && total=$((total - now)) || total=$((total + now))
\`\`\`

| numeral | before | now |
|---|--:|--:|
| IV | 6 | 4 |
| MCMXC | 2210 | 1990 |
`;

const REPLIES = [
  { ...says("I'll read the script, then see what its tests say."), reasoning: "The person wants a failing test mended. Read first, then run." },
  calls(["view_file", { path: "roman.sh", from: 1, to: -1 }]),
  calls(["replace_text", { path: "roman.sh", oldText: "    total=.*\\n    last=", newText: "    ((now < last)) && total=$((total - now)) || total=$((total + now))\n    last=" }]),
  final(MENDED),
  {
    text: "Two things need your word.",
    usage: { input: 5200, output: 90 },
    calls: [
      { name: "shell", arguments: { command: "bash test.sh && git commit -am 'roman: subtract'" }, id: "call_a" },
      { name: "write_file", arguments: { path: "NOTES.md", content: "# Notes\n\n- numerals are read from the right\n" }, id: "call_b" },
    ],
  },
];

async function take(page, name) {
  const path = join(FOLDER, `${name}.png`);
  await page.mouse.move(0, 0);
  await page.screenshot({ path, animations: "disabled", caret: "hide" });
  const size = statSync(path).size;
  console.log(`${path}: ${(size / 1024).toFixed(0)} KB`);
  if (size > LARGEST) throw new Error(`${path} is larger than ${LARGEST / 1024} KB`);
}

mkdirSync(FOLDER, { recursive: true });
const ends = [];
try {
  const here = await world({ after: (end) => ends.push(end) }, REPLIES, { files: { "roman.sh": ROMAN } });
  const page = await here.page("/", { viewport: { width: 1200, height: 780 }, colorScheme: "light" });
  await say(page, "The test of the roman numerals fails. Find out why and mend it.");
  await approve(page).click();
  await main(page).getByRole("heading", { name: "Mended" }).waitFor();
  await page.locator(".answer .h-keyword").first().waitFor();
  await take(page, "page-light");
  await say(page, "Good. Run the test, commit, and leave a note.");
  await card(page).nth(1).waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  await take(page, "page-dark");
  const phone = await here.page(new URL(page.url()).pathname, { viewport: { width: 390, height: 780 }, colorScheme: "light", hasTouch: true, isMobile: true });
  await card(phone).nth(1).waitFor();
  await take(phone, "page-phone");
} finally {
  for (const end of ends) await end();
  await closeBrowser();
}
