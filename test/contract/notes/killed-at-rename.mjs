// Loaded before the program: it kills itself when it is about to put the note numbered TEST_KILLED_AT (from 0) in its place.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { renameSync } = fs;
let left = Number(process.env.TEST_KILLED_AT);

fs.renameSync = (from, to) => {
  if (/\/note \d+\.md$/.test(to) && left-- === 0) process.kill(process.pid, 'SIGKILL');
  return renameSync(from, to);
};
syncBuiltinESMExports();
