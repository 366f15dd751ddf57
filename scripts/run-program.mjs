#!/usr/bin/env node
// dist/bin.js: runs the program, which lies beside it as one script, with what V8 made of it before: at the build, or when it last served
// here. V8 takes that only from a version and with flags like its own, so each has a file of its own, and compiles the script where none fits.
// `roux mcp` forwards its client's messages to a process that has the vault open, and has a small script of its own for that (src/relay.ts). Where
// no process has it open yet, it starts this script again for its client.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

const require = createRequire(import.meta.url);
if (process.argv[2] === '--own-server') {
  const [, client] = process.argv.splice(2, 2);
  runProgram({ ...JSON.parse(client), input: process.stdin, output: process.stdout, servesOthers: true });
} else if (process.argv[2] !== 'mcp' || process.argv.includes('--alone') || !(await relay())) runProgram();
// Nothing may hold the process once its client has gone; what was said is flushed first.
else process.stdout.write('', () => process.exit());

/** Forwards the messages to a process that has the vault open. False if the program is to be run here. */
async function relay() {
  try {
    return await require('./relay.cjs').relay(process.argv.slice(3));
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return false;
  }
}

function runProgram(client) {
  const filename = fileURLToPath(new URL('program.cjs', import.meta.url));
  const cache = `${filename}.${cachedDataVersionTag().toString(16)}.cache`;
  let cachedData;
  try {
    cachedData = readFileSync(cache);
  } catch {
    // It only saves time.
  }
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData });
  // What a server has run is what the next start needs; a short command has run too little of it.
  if ((cachedData === undefined || script.cachedDataRejected === true) && ['mcp', 'serve'].includes(process.argv[2])) {
    process.on('exit', () => {
      try {
        const part = `${cache}.${process.pid}`;
        writeFileSync(part, script.createCachedData());
        renameSync(part, cache);
      } catch {
        // Who runs the program may not write where it is installed.
      }
    });
  }
  script.runInThisContext()(require, import.meta.url, client);
}
