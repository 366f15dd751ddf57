// Loaded before the program: it writes how many bytes each large read of its main thread asks for, a line each, to the file TEST_LARGE_READS.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const LARGE_BYTES = 256 * 1024;

if (isMainThread) {
  const { openSync, readSync, writeSync } = fs;
  const report = openSync(process.env.TEST_LARGE_READS, 'a');
  fs.readSync = (descriptor, buffer, offset, length, ...rest) => {
    if (length >= LARGE_BYTES) writeSync(report, `${length}\n`);
    return readSync(descriptor, buffer, offset, length, ...rest);
  };
  syncBuiltinESMExports();
}
