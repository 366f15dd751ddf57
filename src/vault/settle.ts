import type { FileSystem } from '../disk/file-system.ts';
import type { Clock } from '../ports.ts';
import { hashOf } from './content.ts';

/** Bytes of a file and their hash. */
export interface Content {
  readonly bytes: Buffer;
  readonly hash: string;
}

/**
 * Reads a file that nobody is in the middle of saving: one that is empty or was touched in the last second is read again
 * until it holds still, because a save in place shows an empty or partial file for an instant.
 * `known`: the hash of a content that was seen whole before, which needs no second look.
 */
export async function readSettled(files: FileSystem, query: { file: string; known: string | null; clock: Clock }): Promise<Content | null> {
  const { file, known, clock } = query;
  let last = await readOnce(files, file);
  for (let looks = 0; last !== null && looks < MAX_LOOKS; looks++) {
    if (last.hash === known) break;
    const isYoung = clock.now() - last.mtimeMs < YOUNG_MS && clock.now() >= last.mtimeMs - YOUNG_MS;
    const isEmpty = last.bytes.length === 0;
    if (!isYoung && !isEmpty) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    const next = await readOnce(files, file);
    const isStill = next !== null && next.hash === last.hash && next.mtimeMs === last.mtimeMs;
    last = next;
    if (isStill && (!isEmpty || looks >= EMPTY_LOOKS)) break;
  }
  return last;
}

const YOUNG_MS = 1_000;
const LOOK_AGAIN_MS = 30;
const EMPTY_LOOKS = 3;
const MAX_LOOKS = 40;

async function readOnce(files: FileSystem, file: string): Promise<(Content & { mtimeMs: number }) | null> {
  for (;;) {
    const before = await files.stat(file);
    if (before === null) return null;
    const bytes = await files.read(file);
    const after = await files.stat(file);
    if (bytes === null || after === null) return null;
    if (before.ino !== after.ino || before.mtimeNs !== after.mtimeNs || after.size !== bytes.length) continue;
    return { bytes, hash: hashOf(bytes), mtimeMs: Number(after.mtimeNs / 1_000_000n) };
  }
}
