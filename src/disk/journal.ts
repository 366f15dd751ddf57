import { createHash } from 'node:crypto';
import { linkOrCopy, removeIfThere, writeNewFile } from './atomic.ts';
import type { FileSystem } from './file-system.ts';

/** The write-ahead journal of a vault: a flat folder, so that one folder sync makes an intent and all it needs durable. */
export interface Journal {
  readonly folder: string;
  /** Where the after-image of a step is staged, and where the inode it displaces is kept. */
  image(id: string, step: number): string;
  displaced(id: string, step: number): string;
  /** Writes the intent under a temporary name and syncs it; not yet in force. */
  draft(id: string, intent: unknown, isSynced: boolean): Promise<void>;
  /** Gives the intent its name. With the folder synced after it, this is the commit point. */
  enact(id: string, isSynced: boolean): Promise<void>;
  /** Marks a transaction as one to be undone. */
  abort(id: string, isSynced: boolean): Promise<void>;
  /** Everything that lies there. */
  look(): Promise<JournalLook>;
  /** Removes what belongs to a transaction, its intent last; `keep` receives the intent instead of its end. */
  clear(id: string, options: { isSynced: boolean; keep?: string }): Promise<void>;
}

/** What a journal holds. */
export interface JournalLook {
  /** Whole intents in the order of their ids. */
  readonly intents: readonly { readonly id: string; readonly isAborted: boolean; readonly intent: unknown }[];
  /** Torn or foreign files that stand where an intent would. */
  readonly rejected: readonly string[];
  /** Ids with staged files and no intent: never committed. */
  readonly abandoned: readonly string[];
}

/** The journal in this folder. */
export function openJournal(files: FileSystem, folder: string): Journal {
  const path = (name: string): string => `${folder}/${name}`;
  return {
    folder,
    image: (id, step) => path(`${id}.${step}`),
    displaced: (id, step) => path(`${id}.${step}.old`),
    async draft(id, intent, isSynced) {
      await writeNewFile(files, { path: path(`${id}.draft`), bytes: encodeIntent(intent), like: null, isSynced });
    },
    async enact(id, isSynced) {
      await files.rename(path(`${id}.draft`), path(`${id}.json`));
      if (isSynced) await files.syncFolder(folder);
    },
    async abort(id, isSynced) {
      // A second name first: at no instant may a power loss leave neither.
      await linkOrCopy(files, { from: path(`${id}.json`), to: path(`${id}.abort`), isSynced });
      if (isSynced) await files.syncFolder(folder);
    },
    async look() {
      const intents: { id: string; isAborted: boolean; intent: unknown }[] = [];
      const rejected: string[] = [];
      const seen = new Set<string>();
      const names = (await files.list(folder)) ?? [];
      for (const name of names) {
        const match = intentName.exec(name);
        // `.abort` sorts before `.json` and wins.
        if (match?.[1] === undefined || seen.has(match[1])) continue;
        const decoded = decodeIntent((await files.read(path(name))) ?? Buffer.alloc(0));
        seen.add(match[1]);
        if (decoded === undefined) rejected.push(name);
        else {
          intents.push({ id: match[1], isAborted: match[2] === 'abort', intent: decoded });
        }
      }
      const abandoned = new Set(names.flatMap((name) => partName.exec(name)?.[1] ?? []).filter((id) => !seen.has(id)));
      return { intents, rejected, abandoned: [...abandoned] };
    },
    async clear(id, { isSynced, keep }) {
      const names = ((await files.list(folder)) ?? []).filter((name) => name.startsWith(`${id}.`));
      for (const name of names) if (!intentName.test(name)) await removeIfThere(files, path(name));
      if (names.includes(`${id}.json`)) {
        if (keep !== undefined) await files.rename(path(`${id}.json`), keep);
        // Renaming one of two names of the same file onto the other does nothing.
        await removeIfThere(files, path(`${id}.json`));
      }
      if (!names.includes(`${id}.abort`)) return;
      // The mark goes last, or a power loss could leave an intent that looks as if it were in force.
      if (isSynced) await files.syncFolder(folder);
      await removeIfThere(files, path(`${id}.abort`));
      if (isSynced) await files.syncFolder(folder);
    },
  };
}

/** An intent as it is written: its checksum, then itself, each on a line. */
export function encodeIntent(intent: unknown): Buffer {
  const line = JSON.stringify(intent);
  return Buffer.from(`${JSON.stringify({ format: FORMAT, sha256: checksum(line) })}\n${line}\n`);
}

/** The intent in these bytes, or undefined when they are torn or something else. */
export function decodeIntent(bytes: Buffer): unknown {
  const [head, line, rest] = bytes.toString('utf8').split('\n');
  if (head === undefined || line === undefined || rest !== '') return undefined;
  try {
    const mark: unknown = JSON.parse(head);
    const isOurs = typeof mark === 'object' && mark !== null && 'format' in mark && mark.format === FORMAT && 'sha256' in mark;
    return isOurs && mark.sha256 === checksum(line) ? (JSON.parse(line) as unknown) : undefined;
  } catch {
    return undefined;
  }
}

const FORMAT = 'roux-intent-1';
const intentName = /^([0-9a-z]{26})\.(json|abort)$/;
const partName = /^([0-9a-z]{26})\.(?:draft|\d+(?:\.\w+)*)$/;

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
