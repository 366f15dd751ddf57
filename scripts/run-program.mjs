#!/usr/bin/env node
// dist/bin.js: runs the program, which lies beside it as one script with what V8 made of it at the build. V8 takes that only from a
// version and with flags like its own, and compiles the script where it does not.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const filename = fileURLToPath(new URL('program.cjs', import.meta.url));
let cachedData;
try {
  cachedData = readFileSync(`${filename}.cache`);
} catch {
  // It only saves time.
}
const script = new Script(readFileSync(filename, 'utf8'), { filename, cachedData });
script.runInThisContext()(createRequire(import.meta.url), import.meta.url);
