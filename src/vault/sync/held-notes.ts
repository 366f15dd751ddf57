import { isRecord } from '../../is-record.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';

/** A note whose parsing blocked the main thread. */
export interface HeldNote {
  readonly path: string;
  /** sha-256 of the bytes that were read, hex. */
  readonly hash: string;
  /** Minimum duration in seconds. */
  readonly seconds: number;
}

/** A file in `.roux/cache`. Foreign files are ignored, so that a clone cannot hide notes. */
const FILE = 'held-notes.json';

/** Notes that are remembered. */
const MAX_HELD_NOTES = 100;

/** Loads the notes that blocked an earlier process, by the hash of their bytes. */
export function loadHeldNotes(cache: CacheFiles): ReadonlyMap<string, HeldNote> {
  try {
    const list: unknown = JSON.parse(cache.load(FILE)?.toString('utf8') ?? '[]');
    return new Map((Array.isArray(list) ? list : []).filter(isHeldNote).map((note) => [note.hash, note]));
  } catch {
    return new Map();
  }
}

/** Saves one more note. */
export async function saveHeldNote(cache: CacheFiles, note: HeldNote): Promise<void> {
  const others = [...loadHeldNotes(cache).values()].filter(({ hash, path }) => hash !== note.hash && path !== note.path);
  await cache.save(FILE, [Buffer.from(JSON.stringify([...others, note].slice(-MAX_HELD_NOTES)))]);
}

/** Returns why such a note is not read, as the end of a sentence that begins with its name. */
export function whyHeld({ seconds }: HeldNote): string {
  return `reading it held roux for ${seconds} s or more, and it is skipped until it changes; edit it, or delete .roux/cache/${FILE} to read it again`;
}

function isHeldNote(value: unknown): value is HeldNote {
  return isRecord(value) && typeof value['path'] === 'string' && typeof value['hash'] === 'string' && typeof value['seconds'] === 'number';
}
