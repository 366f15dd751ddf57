import { createHash } from 'node:crypto';
import { linkOrCopy, removeIfThere, writeNewFile } from './atomic.ts';
import type { FileSystem } from './file-system.ts';
import type { Origin, OriginMark } from './origin.ts';

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
  /** Puts what belongs to a transaction into the folder of what is not to be acted upon; returns whether it lies there now. */
  setAside(id: string): Promise<void>;
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

/** Where a journal keeps what is not to be acted upon. */
export const REJECTED = 'rejected';

/** The journal in this folder. */
export function openJournal(files: FileSystem, folder: string, origin: Origin): Journal {
  const path = (name: string): string => `${folder}/${name}`;
  return {
    folder,
    image: (id, step) => path(`${id}.${step}`),
    displaced: (id, step) => path(`${id}.${step}.old`),
    async draft(id, intent, isSynced) {
      await writeNewFile(files, { path: path(`${id}.draft`), bytes: await encodeIntent(intent, origin), like: null, isSynced });
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
      const intents: FoundIntent[] = [];
      const torn = new Set<string>();
      const seen = new Set<string>();
      const names = (await files.list(folder)) ?? [];
      const parts = names.flatMap((name) => ({ name, id: intentName.exec(name)?.[1] ?? partName.exec(name)?.[1] ?? '' }));
      for (const { name, id } of parts) if (id !== '' && (await files.stat(path(name)))?.kind !== 'file') torn.add(id);
      for (const { name, id } of parts) {
        const match = intentName.exec(name);
        // `.abort` sorts before `.json` and wins.
        if (match === null || seen.has(id) || torn.has(id)) continue;
        seen.add(id);
        const decoded = decodeIntent((await files.read(path(name))) ?? Buffer.alloc(0));
        if (decoded === undefined) torn.add(id);
        else
          intents.push({
            id,
            isAborted: match[2] === 'abort',
            intent: decoded.intent,
            isOurs: await origin.isOurs(decoded.line, decoded.mark),
          });
      }
      const abandoned = new Set(parts.map(({ id }) => id).filter((id) => id !== '' && !seen.has(id) && !torn.has(id)));
      return { intents, torn: [...torn], abandoned: [...abandoned] };
    },
    async setAside(id) {
      const home = path(REJECTED);
      if ((await files.stat(home)) === null) await files.makeFolder(home);
      const names = ((await files.list(folder)) ?? []).filter((name) => name.startsWith(`${id}.`));
      // The intent last: until it is there, the next look finds the rest with it.
      const last = (name: string): number => (intentName.test(name) ? 1 : 0);
      for (const name of names.toSorted((a, b) => last(a) - last(b))) {
        await removeIfThere(files, `${home}/${name}`);
        await files.rename(path(name), `${home}/${name}`);
      }
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

/** An intent as it is written: its checksum and where it comes from, then itself, each on a line. */
export async function encodeIntent(intent: unknown, origin: Pick<Origin, 'sign'>): Promise<Buffer> {
  const line = JSON.stringify(intent);
  return Buffer.from(`${JSON.stringify({ format: FORMAT, sha256: checksum(line), origin: await origin.sign(line) })}\n${line}\n`);
}

/** The intent in these bytes, or undefined when they are torn or something else. What it says is not to be trusted before its mark is. */
export function decodeIntent(bytes: Buffer): { intent: unknown; line: string; mark: OriginMark | undefined } | undefined {
  const [head, line, rest] = bytes.toString('utf8').split('\n');
  if (head === undefined || line === undefined || rest !== '') return undefined;
  try {
    const read: unknown = JSON.parse(head);
    const isWhole = typeof read === 'object' && read !== null && 'format' in read && read.format === FORMAT && 'sha256' in read;
    if (!isWhole || read.sha256 !== checksum(line)) return undefined;
    return { intent: JSON.parse(line) as unknown, line, mark: 'origin' in read ? (read.origin as OriginMark) : undefined };
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
