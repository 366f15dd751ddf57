import { isRecord } from '../../../is-record.ts';
import type { FolderEntry, FileState, FileSystem } from '../../folder/file-system.ts';
import type { ProcessRecord, ProcessIdentity } from '../../folder/process-identity.ts';
import { systemCode } from '../../../errors.ts';
import { ifAllowed, readAllowed } from '../../folder/system-error.ts';
import { isLinkRefused, removeIfThere, writeNewFile } from '../../folder/write-file.ts';

/** Folder of the tickets. */
export const LOCK = '.roux/lock';

/** One number of the writer lock, as the name of a file in its folder. */
export interface Ticket {
  readonly number: number;
  /** Released, or made by something other than a holder. */
  readonly isFree: boolean;
}

/** Larger numbers cannot have been counted to: no vault has that many writes. */
export const MAX_TICKET_NUMBER = 1e12;

/** Only this much of a ticket's file is read. */
export const MAX_TICKET_BYTES = 4_096;

/** Returns the number of a ticket, free or not; null for any other name or for a number above the maximum. */
export function numberOf(name: string): number | null {
  // Without leading zeros: `007` is not 7.
  const match = /^(0|[1-9]\d{0,12})(?:\.free)?$/.exec(name);
  const number = Number(match?.[1] ?? Number.NaN);
  return number <= MAX_TICKET_NUMBER ? number : null;
}

/** Returns the ticket of an entry in the folder; an empty list for any other name. */
export function parseTicket({ name, kind }: FolderEntry): Ticket[] {
  const number = numberOf(name);
  // A folder or a link with a number was not made by a holder, but its number is used up.
  return number === null ? [] : [{ number, isFree: name.endsWith('.free') || kind !== 'file' }];
}

/** Returns the pid in the name of a draft or a waiting mark; null for any other name. */
export function ownerOf(name: string): number | null {
  const match = /^(?:draft|wait)-(\d{1,10})-/.exec(name);
  return match ? Number(match[1]) : null;
}

/** A process that waits for the lock. */
export interface Waiter {
  /** The name of its mark in the folder. */
  readonly name: string;
  /** Its place in the line: those with a lower number come first, and of two with the same the one whose name is first. */
  readonly place: number;
}

/** Returns the name of the mark of a waiter. */
export function markName({ pid, place, nonce }: { readonly pid: number; readonly place: number; readonly nonce: string }): string {
  return `wait-${pid}-${place}-${nonce}`;
}

/** Returns those that wait for the lock, in their order. Those of earlier versions have no place, and come first. */
export function waitersIn(entries: readonly FolderEntry[]): readonly Waiter[] {
  return entries
    .flatMap(({ name }) => {
      const match = /^wait-\d{1,10}-(?:(\d{1,13})-)?/.exec(name);
      return match === null ? [] : [{ name, place: Number(match[1] ?? 0) }];
    })
    .sort((a, b) => a.place - b.place || (a.name < b.name ? -1 : 1));
}

/** Parses the process in a ticket's file; null when the bytes name none. */
export function parseRecord(bytes: Buffer): ProcessRecord | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isRecord(value) && isProcessRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isProcessRecord(value: object): value is ProcessRecord {
  return 'pid' in value && Number.isSafeInteger(value.pid) && 'host' in value && 'boot' in value;
}

/** A ticket of this process. */
export interface OwnTicket {
  readonly number: number;
  /** Written into its file, to recognise it: another process may have made a ticket of the same number. */
  readonly nonce: string;
  /** The file that was made for it, if that is known. */
  readonly file?: TicketFile | undefined;
}

/** What identifies the file of a ticket: a later file may get its inode, but not its time of birth as well. */
type TicketFile = Pick<FileState, 'ino' | 'birthNs'>;

/** Age in milliseconds beyond which a draft or a waiting mark is from an earlier process with the same pid. No wait is that long. */
const MAX_MARK_AGE_MS = 40_000;

/** Lists the tickets in the folder. */
export function listTickets(files: FileSystem): readonly Ticket[] {
  return (files.list(LOCK) ?? []).flatMap(parseTicket);
}

/** Returns whether the file of a number is this ticket: the file that was made for it, or one that has its nonce. */
export function hasTicket(files: FileSystem, { number, nonce, file }: OwnTicket): boolean {
  const path = `${LOCK}/${number}`;
  if (file !== undefined && file.birthNs > 0n) {
    const state = ifAllowed(() => files.stat(path), null);
    if (state?.ino === file.ino && state.birthNs === file.birthNs) return true;
  }
  return readAllowed(files, path, { length: MAX_TICKET_BYTES })?.bytes.includes(nonce) === true;
}

/** Creates the file of a ticket. Returns null when the number is taken. */
export async function writeTicket(files: FileSystem, { number, nonce }: OwnTicket, { record }: ProcessIdentity): Promise<OwnTicket | null> {
  const draft = `${LOCK}/draft-${record.pid}-${nonce}`;
  const bytes = Buffer.from(JSON.stringify({ ...record, nonce }));
  try {
    const file = await writeNewFile(files, { path: draft, bytes, like: null, isSynced: false });
    files.link(draft, `${LOCK}/${number}`);
    return { number, nonce, file };
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return null;
    if (!isLinkRefused(error)) throw error;
    return (await createFile(files, `${LOCK}/${number}`, bytes)) ? { number, nonce } : null;
  } finally {
    removeIfThere(files, draft);
  }
}

/**
 * Links the file of a released ticket as the next one, which is cheaper than to create one and remove the other. Returns null when that
 * fails: the next attempt creates a file, and reports what is wrong.
 */
export function linkReleased(files: FileSystem, released: OwnTicket, number: number): OwnTicket | null {
  try {
    files.link(`${LOCK}/${released.number}.free`, `${LOCK}/${number}`);
    return { ...released, number };
  } catch {
    return null;
  }
}

/** Marks a ticket as free. Returns whether the mark is a link to its file, so that the next ticket can be made of it. */
export async function releaseTicket(files: FileSystem, ticket: OwnTicket): Promise<boolean> {
  const path = `${LOCK}/${ticket.number}`;
  // Another process has the number, or the file cannot be read at the moment: the next attempt finds out.
  if (!hasTicket(files, ticket)) return false;
  let isLinked = true;
  try {
    files.link(path, `${path}.free`);
  } catch (error) {
    // An earlier attempt may have made the mark.
    if (systemCode(error) !== 'EEXIST') {
      if (!isLinkRefused(error)) throw error;
      isLinked = false;
      await createFile(files, `${path}.free`, Buffer.from('{}'));
    }
  }
  removeIfThere(files, path);
  return isLinked;
}

/**
 * Returns whether a file belongs to a used-up ticket or to a process that has ended, so that the holder may remove it. A mistake about the
 * process does no harm: it makes its file again.
 */
export function isStale(files: FileSystem, name: string, held: OwnTicket, self: ProcessIdentity): boolean {
  const number = numberOf(name);
  if (number !== null) return number < held.number;
  const owner = ownerOf(name);
  if (owner === null) return false;
  // An earlier attempt of this process could not remove it, because the disk failed.
  if (owner === self.record.pid) return !name.endsWith(held.nonce);
  return !isWaiting(files, name, self);
}

/** Returns whether the process that made a draft or a waiting mark still waits. */
export function isWaiting(files: FileSystem, name: string, self: ProcessIdentity): boolean {
  const pid = ownerOf(name);
  if (pid === null || self.liveness({ ...self.record, pid, start: null }) === 'dead') return false;
  const state = files.stat(`${LOCK}/${name}`);
  return state !== null && files.now() - Number(state.mtimeNs / 1_000_000n) < MAX_MARK_AGE_MS;
}

/** Creates a file in one step. Returns false when the name is taken. */
async function createFile(files: FileSystem, path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await writeNewFile(files, { path, bytes, like: null, isSynced: false });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}
