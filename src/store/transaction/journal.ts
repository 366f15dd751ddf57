import type { FileSystem } from '../folder/file-system.ts';
import { linkOrCopy, removeIfThere, writeNewFile } from '../folder/write-file.ts';
import type { NewFile } from '../folder/write-file.ts';
import type { Origin } from '../origin.ts';
import { encodeIntent, readIntent } from './intent.ts';

/**
 * The write-ahead journal of a vault: a flat folder, so that one folder sync makes an intent and all it needs durable.
 * Every name that a transaction keeps in it is made here and nowhere else: rollback finds what steps have staged.
 */
export interface Journal {
  readonly folder: string;
  /** Where the after-image of a step is staged. */
  image(id: string, step: number): string;
  /** Where an image is staged that was made again on newer bytes, with the beginning of its hash in its name. */
  newerImage(id: string, step: number, made: { attempt: number; hash: string }): string;
  /** Where the inode that a step displaces is kept; `over`: the one that stood at a move's target; `undone`: what rolling back displaces; `between`: what a second look displaces. */
  displaced(id: string, step: number, which?: 'old' | 'over' | 'undone' | 'between'): string;
  /** Every staged image of a step, with the beginning of the hash that it was given; null: the hash that the intent names. */
  stagedImages(id: string, step: number): readonly { readonly path: string; readonly hash: string | null }[];
  /** The intent under a temporary name, to be written and synced: not yet in force. */
  draft(id: string, intent: unknown, isSynced: boolean): NewFile;
  /** Gives the intent its name. With the folder synced after it, this is the commit point. */
  enact(id: string, isSynced: boolean): Promise<void>;
  isEnacted(id: string): boolean;
  /** Marks a transaction as one to be undone. */
  abort(id: string, isSynced: boolean): Promise<void>;
  /** Everything that lies there, or what belongs to one id. */
  look(only?: string): JournalLook;
  /** Puts what belongs to transactions into the folder of what is not to be acted upon. Each folder is listed once, however many they are. */
  setAside(ids: ReadonlySet<string>): void;
  /** Removes what belongs to transactions that were never committed. The folder is listed once, however many they are. */
  clearAbandoned(ids: ReadonlySet<string>): void;
  /** Keeps under another name an intent that says what came of it, where that is not what was planned. */
  keep(path: string, intent: unknown, isSynced: boolean): Promise<void>;
  /** Removes what belongs to a transaction, its intent last; `keep` receives the intent instead of its end. */
  clear(id: string, options: { isSynced: boolean; keep?: string }): Promise<void>;
}

/** What a journal holds. */
export interface JournalLook {
  /** Whole intents in the order of their ids. */
  readonly intents: readonly FoundIntent[];
  /** Ids under which something else than a whole intent stands where one would, or another thing than a file. */
  readonly torn: readonly string[];
  /** Ids with staged files and no intent: never committed. */
  readonly abandoned: readonly string[];
}

/** A whole intent. */
export interface FoundIntent {
  readonly id: string;
  readonly isAborted: boolean;
  readonly intent: unknown;
  /** It was written here, by whatever shows that; else it came with the folder or was copied along. */
  readonly isOurs: boolean;
}

/** The journal of a vault. */
export const JOURNAL = '.roux/journal';
/** Where it keeps what is not to be acted upon. */
export const REJECTED = `${JOURNAL}/rejected`;

/** The journal in this folder. */
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
      // A second name first: at no instant may a power loss leave neither.
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
        // `.abort` sorts before `.json` and wins.
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
      // The intent last: until it is there, the next look finds the rest with it.
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
    async clear(id, { isSynced, keep }) {
      const own = names().filter((name) => name.startsWith(`${id}.`));
      for (const name of own) if (!intentName.test(name)) removeIfThere(files, path(name));
      if (own.includes(`${id}.json`)) {
        if (keep !== undefined) files.rename(path(`${id}.json`), keep);
        // Renaming one of two names of the same file onto the other does nothing.
        if (files.stat(path(`${id}.json`)) !== null) files.remove(path(`${id}.json`));
      }
      if (!own.includes(`${id}.abort`)) return;
      // The mark goes last, or a power loss could leave an intent that looks as if it were in force.
      if (isSynced) await files.syncFolder(folder);
      removeIfThere(files, path(`${id}.abort`));
      if (isSynced) await files.syncFolder(folder);
    },
  };
}

const HASH_DIGITS = 16;
const ID_LENGTH = 26;
const intentName = /^([0-9a-z]{26})\.(json|abort)$/;

/** Whether a name in the journal is that of a transaction in force, which may be half done. */
export function isIntentName(name: string): boolean {
  return intentName.test(name);
}

const partName = /^([0-9a-z]{26})\.(?:draft|\d+(?:\.\w+)*)$/;

/** A name that nothing has: what lies there under the same one may be of another kind, and is kept. */
function freeName(taken: ReadonlySet<string>, name: string): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${count}-${name}`;
  return free;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
