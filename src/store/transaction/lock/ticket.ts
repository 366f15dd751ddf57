import { isRecord } from '../../../is-record.ts';
import type { FolderEntry } from '../../folder/file-system.ts';
import type { ProcessRecord } from '../../folder/process-identity.ts';

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
