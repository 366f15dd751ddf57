import { isRecord } from '../../is-record.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';

/** A note whose reading held the main thread, so that nobody was served. */
export interface HeldNote {
  readonly path: string;
  /** sha-256 of the bytes that were read, hex. */
  readonly hash: string;
  /** For how long at least, in seconds. */
  readonly seconds: number;
}

/** The file under `.roux/cache`; what was not written here is not believed, so that no clone can hide notes. */
const FILE = 'held-notes.json';

/** More notes than this are not remembered. */
const MAX_HELD_NOTES = 100;

/** The notes that held an earlier process, by the hash of their bytes. */
export function loadHeldNotes(cache: CacheFiles): ReadonlyMap<string, HeldNote> {
  try {
    const list: unknown = JSON.parse(cache.load(FILE)?.toString('utf8') ?? '[]');
    return new Map((Array.isArray(list) ? list : []).filter(isHeldNote).map((note) => [note.hash, note]));
  } catch {
    return new Map();
  }
}

/** Remembers one more. */
export async function saveHeldNote(cache: CacheFiles, note: HeldNote): Promise<void> {
  const others = [...loadHeldNotes(cache).values()].filter(({ hash, path }) => hash !== note.hash && path !== note.path);
  await cache.save(FILE, [Buffer.from(JSON.stringify([...others, note].slice(-MAX_HELD_NOTES)))]);
}

/** Why such a note is not read, as the end of a sentence that begins with its name. */
export function whyHeld({ seconds }: HeldNote): string {
  return `reading it held roux for ${seconds} s or more, and it is skipped until it changes; edit it, or delete .roux/cache/${FILE} to read it again`;
}

function isHeldNote(value: unknown): value is HeldNote {
  return isRecord(value) && typeof value['path'] === 'string' && typeof value['hash'] === 'string' && typeof value['seconds'] === 'number';
}
