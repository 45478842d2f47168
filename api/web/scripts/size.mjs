// What a browser loads before the first screen shows: the entry, what it imports, and the first screen (Overview).
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT = 300_000;
const FIRST_SCREEN = "src/screens/overview/OverviewScreen.tsx";
const dist = new URL("../dist/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist)));

const files = new Set();
const seen = new Set();
function add(name) {
  const chunk = manifest[name];
  if (!chunk || seen.has(name)) return;
  seen.add(name);
  for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
  for (const imported of chunk.imports ?? []) add(imported);
}
add("index.html");
add(FIRST_SCREEN);

let total = 0;
for (const file of files) {
  const size = gzipSync(readFileSync(new URL(file, dist))).length;
  total += size;
  console.log(`${(size / 1000).toFixed(1).padStart(8)} kB  ${file}`);
}
console.log(`${(total / 1000).toFixed(1).padStart(8)} kB  first load, gzip (limit ${LIMIT / 1000} kB)`);
if (total > LIMIT) process.exit(1);
