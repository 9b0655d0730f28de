// Lays a .gz beside every file of dist, so that the server compresses nothing while it serves.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const DIST = new URL("../dist/", import.meta.url).pathname;
const LIMIT = 350 * 1024;

let script = 0;
for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || entry.name.endsWith(".gz")) continue;
  const path = join(entry.parentPath, entry.name);
  const packed = gzipSync(readFileSync(path), { level: 9 });
  writeFileSync(`${path}.gz`, packed);
  if (entry.name.endsWith(".js")) script += packed.length;
}
console.log(`JavaScript, compressed: ${(script / 1024).toFixed(1)} KB of at most ${LIMIT / 1024}`);
if (script > LIMIT) {
  console.error("The page has become too large: see what was added, or load it when it is needed.");
  process.exit(1);
}
