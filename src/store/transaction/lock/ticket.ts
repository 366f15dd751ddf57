import { isRecord } from '../../../is-record.ts';
import type { FolderEntry } from '../../folder/file-system.ts';
import type { ProcessRecord } from '../../folder/process-identity.ts';

/** One number of the writer lock, as its folder names it. */
export interface Ticket {
  readonly number: number;
  /** Given back, or nothing that a holder could have made. */
  readonly isFree: boolean;
}

/** No vault comes to so many writes; a larger number was not counted to. */
export const MAX_TICKET_NUMBER = 1e12;

/** So much of the file of a ticket is read at most. */
export const MAX_TICKET_BYTES = 4_096;

/** The number of a ticket, given back or not; null for another name, or for a number that nobody could count on from. */
export function numberOf(name: string): number | null {
  // As it is counted: `007` is no other name of 7.
  const match = /^(0|[1-9]\d{0,12})(?:\.free)?$/.exec(name);
  const number = Number(match?.[1] ?? Number.NaN);
  return number <= MAX_TICKET_NUMBER ? number : null;
}

/** The ticket that an entry of the lock's folder stands for; none for any other name. */
export function parseTicket({ name, kind }: FolderEntry): Ticket[] {
  const number = numberOf(name);
  // A folder or a link with a number was made by nobody who holds the lock; its number is used up all the same.
  return number === null ? [] : [{ number, isFree: name.endsWith('.free') || kind !== 'file' }];
}

/** The process that a draft or a waiting mark belongs to. */
export function ownerOf(name: string): number | null {
  const match = /^(?:draft|wait)-(\d{1,10})-/.exec(name);
  return match ? Number(match[1]) : null;
}

/** The process that a ticket names, or null when its bytes do not say. */
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
