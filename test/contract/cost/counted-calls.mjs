// Loaded before the program: it writes one letter for each call of the file system that its main thread makes to the file TEST_COUNTED_CALLS.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const LETTERS = { openSync: 'o', lstatSync: 's', statSync: 's', fstatSync: 's', readdirSync: 'd', linkSync: 'n', renameSync: 'n', unlinkSync: 'n', fsync: 'y', fsyncSync: 'y' }; // prettier-ignore

if (isMainThread) {
  const { openSync, writeSync } = fs;
  const report = openSync(process.env.TEST_COUNTED_CALLS, 'a');
  for (const [name, letter] of Object.entries(LETTERS)) {
    const call = fs[name];
    fs[name] = (...args) => (writeSync(report, letter), call(...args));
  }
  syncBuiltinESMExports();
}
