import { systemCode } from '../../../errors.ts';
import type { FileState, FileSystem } from '../../folder/file-system.ts';
import type { ProcessIdentity } from '../../folder/process-identity.ts';
import { ifAllowed, readAllowed } from '../../folder/system-error.ts';
import { isLinkRefused, removeIfThere, writeNewFile } from '../../folder/write-file.ts';
import { LOCK, MAX_TICKET_BYTES, numberOf, ownerOf, parseTicket } from './ticket.ts';
import type { Ticket } from './ticket.ts';

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
