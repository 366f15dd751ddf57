import type { FileSystem } from '../folder/file-system.ts';
import { linkOrCopy, removeIfThere, writeNewFile } from '../folder/write-file.ts';
import type { NewFile } from '../folder/write-file.ts';
import type { Origin } from '../origin.ts';
import { encodeIntent, readIntent } from './intent.ts';

/**
 * The write-ahead journal of a vault: a flat folder, so that one folder sync makes an intent and all it needs durable. Only this module makes
 * the names in it, so that rollback finds what steps staged.
 */
export interface Journal {
  readonly folder: string;
  /** Returns the path of the staged image of a step. */
  image(id: string, step: number): string;
  /** Returns the path of an image that was made again from newer bytes. Its name has the leading digits of its hash. */
  newerImage(id: string, step: number, made: { attempt: number; hash: string }): string;
  /** Returns the path of an inode that a step displaces. `over`: the one at the target of a move. `undone`: displaced by rollback. `between`: displaced when a change is made again after the step. */
  displaced(id: string, step: number, which?: 'old' | 'over' | 'undone' | 'between'): string;
  /** Lists the staged images of a step, with the leading digits of their hashes; null stands for the hash in the intent. */
  stagedImages(id: string, step: number): readonly { readonly path: string; readonly hash: string | null }[];
  /** Returns the file of an intent under a temporary name, not yet in force. */
  draft(id: string, intent: unknown, isSynced: boolean): NewFile;
  /** Gives the intent its name. Once the folder is synced after it, this is the commit point. */
  enact(id: string, isSynced: boolean): Promise<void>;
  isEnacted(id: string): boolean;
  /** Marks a transaction to be undone. */
  abort(id: string, isSynced: boolean): Promise<void>;
  /** Reads the whole journal, or what belongs to one id. */
  look(only?: string): JournalLook;
  /** Moves what belongs to these transactions into the folder of rejected writes. Lists each folder once. */
  setAside(ids: ReadonlySet<string>): void;
  /** Removes what belongs to transactions that were never committed. Lists the folder once. */
  clearAbandoned(ids: ReadonlySet<string>): void;
  /** Writes to another path an intent with what really happened, when that is not what was planned. */
  keep(path: string, intent: unknown, isSynced: boolean): Promise<void>;
  /**
   * Removes what belongs to a transaction, its intent last. `keep`: path to which the intent is moved instead; `isFirst`: nothing was there
   * before.
   */
  clear(id: string, options: { isSynced: boolean; keep?: string; isFirst?: boolean }): Promise<void>;
}

/** The content of a journal. */
export interface JournalLook {
  /** Complete intents, ordered by id. */
  readonly intents: readonly FoundIntent[];
  /** Ids with something other than a complete intent in its place, or other than a file. */
  readonly torn: readonly string[];
  /** Ids with staged files but no intent, which were never committed. */
  readonly abandoned: readonly string[];
}

/** A complete intent. */
export interface FoundIntent {
  readonly id: string;
  readonly isAborted: boolean;
  readonly intent: unknown;
  /** Whether it was written here; otherwise it came with the folder. */
  readonly isOurs: boolean;
}

/** The journal of a vault. */
export const JOURNAL = '.roux/journal';
/** Folder of rejected writes, which nothing acts upon. */
export const REJECTED = `${JOURNAL}/rejected`;

/** Opens the journal in a folder. */
export function openJournal(files: FileSystem, origin: Origin, folder: string = JOURNAL): Journal {
  const path = (name: string): string => `${folder}/${name}`;
  const names = (): readonly string[] => (files.list(folder) ?? []).map(({ name }) => name);
  const namesOf = (ids: ReadonlySet<string>): readonly string[] =>
    ids.size === 0 ? [] : names().filter((name) => name[ID_LENGTH] === '.' && ids.has(name.slice(0, ID_LENGTH)));
  return {
    folder,
    image: (id, step) => path(`${id}.${step}`),
    newerImage: (id, step, { attempt, hash }) => path(`${id}.${step}.again.${attempt}.${hash.slice(0, HASH_DIGITS)}`),
    displaced: (id, step, which = 'old') => path(`${id}.${step}.${which}`),
    stagedImages(id, step) {
      const own = `${id}.${step}`;
      return names().flatMap((name): { path: string; hash: string | null }[] => {
        if (name === own) return [{ path: path(name), hash: null }];
        const [, hash] = name.startsWith(`${own}.again.`) ? (/\.(\w+)$/.exec(name) ?? []) : [];
        return hash === undefined ? [] : [{ path: path(name), hash }];
      });
    },
    draft: (id, intent, isSynced) => ({ path: path(`${id}.draft`), bytes: encodeIntent(intent, origin), like: null, isSynced }),
    async enact(id, isSynced) {
      files.rename(path(`${id}.draft`), path(`${id}.json`));
      if (isSynced) await files.syncFolder(folder);
    },
    isEnacted: (id) => files.stat(path(`${id}.json`)) !== null,
    async abort(id, isSynced) {
      // Make a second name first, so that a power loss never leaves none.
      removeIfThere(files, path(`${id}.draft`));
      await linkOrCopy(files, { from: path(`${id}.json`), to: path(`${id}.draft`), isSynced });
      files.rename(path(`${id}.draft`), path(`${id}.abort`));
      if (isSynced) await files.syncFolder(folder);
    },
    look(only) {
      const intents: FoundIntent[] = [];
      const torn = new Set<string>();
      const seen = new Set<string>();
      const parts = (files.list(folder) ?? []).flatMap(({ name, kind }) => {
        const id = intentName.exec(name)?.[1] ?? partName.exec(name)?.[1];
        return id === undefined || (only !== undefined && id !== only) ? [] : [{ name, kind, id }];
      });
      for (const { id, kind } of parts) if (kind !== 'file') torn.add(id);
      for (const { name, id } of parts) {
        const match = intentName.exec(name);
        // `.abort` sorts before `.json` and takes precedence.
        if (match === null || seen.has(id) || torn.has(id)) continue;
        seen.add(id);
        const found = readIntent(files, path(name), origin);
        if (found === undefined) torn.add(id);
        else intents.push({ id, isAborted: match[2] === 'abort', ...found });
      }
      const abandoned = new Set(parts.map(({ id }) => id).filter((id) => !seen.has(id) && !torn.has(id)));
      return { intents, torn: [...torn], abandoned: [...abandoned] };
    },
    setAside(ids) {
      if (ids.size === 0) return;
      if (files.stat(REJECTED) === null) files.makeFolder(REJECTED, true);
      // The intent last, so that after a crash the next start finds the rest with it.
      const [intents, parts] = partition(namesOf(ids), (name) => intentName.test(name));
      const taken = new Set((files.list(REJECTED) ?? []).map(({ name }) => name));
      for (const name of [...parts, ...intents]) files.rename(path(name), `${REJECTED}/${freeName(taken, name)}`);
    },
    clearAbandoned(ids) {
      for (const name of namesOf(ids)) removeIfThere(files, path(name));
    },
    async keep(kept, intent, isSynced) {
      if (files.stat(kept) !== null) files.remove(kept);
      await writeNewFile(files, { path: kept, bytes: encodeIntent(intent, origin), like: null, isSynced });
    },
    async clear(id, { isSynced, keep, isFirst = false }) {
      const own = names().filter((name) => name.startsWith(`${id}.`));
      for (const name of own) if (!intentName.test(name)) removeIfThere(files, path(name));
      if (own.includes(`${id}.json`)) {
        if (keep !== undefined) files.rename(path(`${id}.json`), keep);
        // After a crash both may be names of one file: renaming one onto the other does nothing.
        if (keep === undefined || (!isFirst && files.stat(path(`${id}.json`)) !== null)) files.remove(path(`${id}.json`));
      }
      if (!own.includes(`${id}.abort`)) return;
      // The mark goes last, since a power loss must not leave an intent that seems to be in force.
      if (isSynced) await files.syncFolder(folder);
      removeIfThere(files, path(`${id}.abort`));
      if (isSynced) await files.syncFolder(folder);
    },
  };
}

const HASH_DIGITS = 16;
const ID_LENGTH = 26;
const intentName = /^([0-9a-z]{26})\.(json|abort)$/;

/** Returns whether a name in the journal is of a transaction in force, which may be half done. */
export function isIntentName(name: string): boolean {
  return intentName.test(name);
}

const partName = /^([0-9a-z]{26})\.(?:draft|\d+(?:\.\w+)*)$/;

/** Returns a free name. What has the same one may be of another kind and stays. */
function freeName(taken: ReadonlySet<string>, name: string): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${count}-${name}`;
  return free;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
