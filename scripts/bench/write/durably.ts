import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** The least that a durable change of files is: each read, written beside and synced; then all renamed, and each folder synced. */
export function writeDurably(files: readonly string[]): void {
  for (const file of files) {
    const bytes = readFileSync(file);
    const staged = openSync(`${file}.tmp`, 'w');
    writeSync(staged, bytes);
    fsyncSync(staged);
    closeSync(staged);
  }
  for (const file of files) renameSync(`${file}.tmp`, file);
  for (const folder of new Set(files.map((file) => dirname(file)))) {
    const held = openSync(folder, 'r');
    fsyncSync(held);
    closeSync(held);
  }
}
