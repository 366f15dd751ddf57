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
  /** Returns the path of an image that was built again from newer bytes. Its name has the first digits of its hash. */
  newerImage(id: string, step: number, made: { attempt: number; hash: string }): string;
  /**
   * Returns the path of an inode that a step displaces. `over`: the one at the target of a move. `undone`: displaced by rollback. `between`:
   * displaced when a change is applied again after the step.
   */
  displaced(id: string, step: number, which?: 'old' | 'over' | 'undone' | 'between'): string;
  /** Lists the staged images of a step with the first digits of their hashes; null means the hash in the intent. */
  stagedImages(id: string, step: number): readonly { readonly path: string; readonly hash: string | null }[];
  /** Returns the file of an intent under a temporary name, not yet in force. */
  draft(id: string, intent: unknown, isSynced: boolean): NewFile;
  /** Gives the intent its name. Once the folder is synced after it, this is the commit point. */
  enact(id: string, isSynced: boolean): Promise<void>;
  isEnacted(id: string): boolean;
  /** Marks a transaction to be undone. */
  abort(id: string, isSynced: boolean): Promise<void>;
  /** Reads the whole journal, or what belongs to one id. */
  read(only?: string): JournalContent;
  /** Moves what belongs to these transactions into the folder of rejected writes. Lists each folder once. */
  setAside(ids: ReadonlySet<string>): void;
  /** Removes what belongs to transactions that were never committed. Lists the folder once. */
  clearAbandoned(ids: ReadonlySet<string>): void;
  /** Writes an intent to another path, to record what really happened if that is not what was planned. */
  writeIntent(path: string, intent: unknown, isSynced: boolean): Promise<void>;
  /**
   * Removes what belongs to a transaction, its intent last. `moveIntentTo`: the path to which the intent is moved instead; `isFirst`: that
   * path is free; `left`: all that belongs to it beside the intent, where that is known. By default the folder is listed for it.
   */
  clear(id: string, options: { isSynced: boolean; moveIntentTo?: string; isFirst?: boolean; left?: readonly string[] }): Promise<void>;
}

export interface JournalContent {
  /** Complete intents, ordered by id. */
  readonly intents: readonly FoundIntent[];
  /** Ids whose intent is incomplete or damaged, or that have something other than files. */
  readonly torn: readonly string[];
  /** Ids with staged files but no intent, which were never committed. */
  readonly abandoned: readonly string[];
}

/** A complete intent. */
export interface FoundIntent {
  readonly id: string;
  readonly isAborted: boolean;
  readonly intent: unknown;
  /** Whether it was written in this folder; otherwise it came with it. */
  readonly isOurs: boolean;
}

/** The journal of a vault. */
export const JOURNAL = '.roux/journal';
/** Folder of rejected writes, which nothing acts upon. */
export const REJECTED = `${JOURNAL}/rejected`;

const HASH_DIGITS = 16;
const ID_LENGTH = 26;
const intentName = /^([0-9a-z]{26})\.(json|abort)$/;
const partName = /^([0-9a-z]{26})\.(?:draft|\d+(?:\.\w+)*)$/;

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
    read(only) {
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
    async writeIntent(target, intent, isSynced) {
      if (files.stat(target) !== null) files.remove(target);
      await writeNewFile(files, { path: target, bytes: encodeIntent(intent, origin), like: null, isSynced });
    },
    async clear(id, { isSynced, moveIntentTo, isFirst = false, left }) {
      const own = left === undefined ? names().filter((name) => name.startsWith(`${id}.`)) : [`${id}.json`];
      for (const part of left ?? own.filter((name) => !intentName.test(name)).map(path)) removeIfThere(files, part);
      if (own.includes(`${id}.json`)) {
        if (moveIntentTo !== undefined) files.rename(path(`${id}.json`), moveIntentTo);
        // After a crash both may be names of one file: renaming one onto the other does nothing.
        if (moveIntentTo === undefined || (!isFirst && files.stat(path(`${id}.json`)) !== null)) files.remove(path(`${id}.json`));
      }
      if (!own.includes(`${id}.abort`)) return;
      // The mark is removed last: a power loss must not leave an intent without it, which would be carried out.
      if (isSynced) await files.syncFolder(folder);
      removeIfThere(files, path(`${id}.abort`));
      if (isSynced) await files.syncFolder(folder);
    },
  };
}

/** Returns the name that the image of a step has beside its own for the instant before it replaces a file. */
export function spareImage(id: string, step: number): string {
  return `${JOURNAL}/${id}.${step}.new`;
}

/** Returns whether a name in the journal belongs to a committed transaction, which may be half done. */
export function isIntentName(name: string): boolean {
  return intentName.test(name);
}

/** Returns a free name. Something else may have the name already, and stays. */
function freeName(taken: ReadonlySet<string>, name: string): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${count}-${name}`;
  return free;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
