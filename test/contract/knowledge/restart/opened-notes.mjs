// Loaded before the program: it writes the path of each note that its main thread opens to the file TEST_OPENED_NOTES.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const { openSync, writeSync } = fs;
  const report = openSync(process.env.TEST_OPENED_NOTES, 'a');
  fs.openSync = (path, ...args) => {
    if (String(path).endsWith('.md')) writeSync(report, `${path}\n`);
    return openSync(path, ...args);
  };
  syncBuiltinESMExports();
}
