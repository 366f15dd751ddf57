import { RouxError } from '../../errors.ts';
import type { GraphView, NoteEntry } from '../../graph/view.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import { eventsAfter } from './events.ts';

/** The version of a vault that a call was based on. Checked once in a call, so that the call's own writes do not count as changes. */
export interface BaseVersion {
  readonly version: string;
  isChecked: boolean;
}

/** A short text that identifies the present state of a vault. */
export interface VaultVersion {
  /**
   * Returns `<last sequence number>-<fingerprint of all notes>`. Any change to any note, whoever made it, changes the fingerprint (E-33).
   */
  text(): string;
  /** Throws `CONFLICT` if the call was based on another state. `seen`: paths of edits that the history does not hold yet. */
  check(based: BaseVersion, seen: readonly string[]): Promise<void>;
}

/** Changed paths that an error names. */
const MAX_PATHS = 20;

const VERSION = /^(\d{1,15})-([0-9a-f]{16})$/;

/** Returns whether a text has the form of a version. */
export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Creates the version of the vault with this graph. `lastSeq` returns the last sequence number seen of its history. */
export function createVaultVersion(graph: GraphView, history: Segments<HistoryEvent>, lastSeq: () => number): VaultVersion {
  let fingerprint: (() => string) | undefined;
  const text = (): string => `${lastSeq()}-${(fingerprint ??= trackFingerprint(graph))()}`;
  return {
    text,
    async check(based, seen) {
      if (based.isChecked) return;
      based.isChecked = true;
      const [, seq = '0', then = ''] = VERSION.exec(based.version) ?? [];
      const present = text();
      if (present.endsWith(`-${then}`)) return;
      throw versionConflict(based.version, present, await pathsSince(history, Number(seq), seen));
    },
  };
}

async function pathsSince(history: Segments<HistoryEvent>, seq: number, seen: readonly string[]): Promise<readonly string[]> {
  const paths = new Set(seen);
  for await (const { path } of eventsAfter(history, seq)) paths.add(path);
  return [...paths];
}

function versionConflict(given: string, present: string, paths: readonly string[]): RouxError {
  const named = paths.slice(0, MAX_PATHS);
  const more = paths.length - named.length;
  const list = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const what = named.length === 0 ? 'the history does not say what changed since' : `changed since: ${list}`;
  const message = `The vault is at version ${present}, not ${given} any more; ${what}. Read again what this is based on, then repeat it with if_version ${present}.`;
  return new RouxError('CONFLICT', message, { version: present, if_version: given, changed: named, ...(more > 0 ? { more } : {}) });
}

/**
 * Returns a function for the fingerprint of all notes, hidden ones included: the sum of 64 bits of path and content hash per note, so that
 * order does not matter and a change costs only what it changed. Reads the whole graph once.
 */
export function trackFingerprint(graph: GraphView): () => string {
  const sums = new Uint32Array(2);
  const add = (entry: NoteEntry | null, sign: 1 | -1): void => {
    if (entry === null) return;
    const [low, high] = sumsOf(`${entry.path}\0${entry.hash}`);
    // Typed arrays wrap around.
    sums[0] = (sums[0] ?? 0) + sign * low;
    sums[1] = (sums[1] ?? 0) + sign * high;
  };
  for (const entry of graph.entries({ includeHidden: true })) add(entry, 1);
  graph.onChange((changes) => {
    for (const { before, after } of changes) {
      add(before, -1);
      add(after, 1);
    }
  });
  return () => [...sums].map((sum) => sum.toString(16).padStart(8, '0')).join('');
}

/** Returns two FNV-1a hashes of a text, with different offsets and primes. */
function sumsOf(text: string): readonly [number, number] {
  let [low, high] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 15);
  }
  return [low >>> 0, high >>> 0];
}
