import { createHash } from 'node:crypto';
import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import { fileName, folderOf, isIgnoredName, isVaultPath } from '../../note/path.ts';
import type { FileReader } from '../folder/file-system.ts';
import { readAllowed } from '../folder/read-allowed.ts';
import type { Origin } from '../origin.ts';
import type { HistoryEvent } from '../records/history-event.ts';
import type { KeyRecord } from '../records/keys.ts';
import { TRASH } from '../records/trash.ts';

/**
 * One file of a transaction, with hashes instead of texts: the texts are staged beside the intent.
 * Paths are vault-relative and real: links are resolved.
 */
export type Step =
  | { readonly kind: 'create'; readonly path: string; readonly after: string }
  | (Rewrite & { readonly kind: 'replace'; readonly path: string })
  | (Rewrite & {
      readonly kind: 'move';
      readonly from: string;
      readonly to: string;
      /** Hash of what stands at `to` and leaves it in the same transaction (names that change places). */
      readonly over: string | null;
      /** `from` is taken by another move of the transaction, so it is not removed. */
      readonly keepsFrom: boolean;
    })
  | { readonly kind: 'remove'; readonly path: string; readonly before: string; readonly trash: string | null };

interface Rewrite {
  readonly before: string;
  readonly after: string;
  /** How the bytes after come from the bytes before, as `Reapply` takes it; null where only these bytes will do. */
  readonly changes: readonly unknown[] | null;
  /** The changes may be made again on newer bytes. */
  readonly isCommutative: boolean;
}

/** What a transaction is about to do, whole: enough to finish it, or to undo it, after any crash. */
export interface Intent {
  readonly format: 1;
  readonly id: string;
  readonly operation: string;
  readonly agent: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly steps: readonly Step[];
  readonly events: readonly HistoryEvent[];
  /** Folders made for it, outermost first, vault-relative. */
  readonly folders: readonly string[];
  readonly key?: KeyRecord;
}

/** The vault-relative paths that a step is about. */
export function pathsOf(step: Step): readonly string[] {
  return step.kind === 'move' ? [step.from, step.to] : [step.path];
}

/** Returns an intent as it is written: its checksum and where it comes from, then itself, each on a line. Throws `TOO_LARGE` where no recovery would read it. */
export function encodeIntent(intent: unknown, origin: Pick<Origin, 'sign'>): Buffer {
  const line = toLine(intent);
  return Buffer.from(`${JSON.stringify({ format: FORMAT, sha256: checksum(line), origin: origin.sign(line) })}\n${line}\n`);
}

/** An intent as it was found, and whether it was written in this folder: what another says is not to be trusted. */
export interface DecodedIntent {
  readonly intent: unknown;
  readonly isOurs: boolean;
}

/** The intent in a file; undefined when there is none, or when it is torn, something else, or too large to be one. */
export function readIntent(files: FileReader, path: string, origin: Pick<Origin, 'isOurs'>): DecodedIntent | undefined {
  const start = readAllowed(files, path, { length: MAX_HEAD_BYTES });
  const head = readHead(start?.bytes);
  if (start === null || head === undefined || start.state.size > MAX_INTENT_BYTES) return undefined;
  return decodeIntent(readAllowed(files, path, { length: MAX_INTENT_BYTES })?.bytes ?? Buffer.alloc(0), origin);
}

/** The intent in these bytes, likewise. */
export function decodeIntent(file: Buffer, origin: Pick<Origin, 'isOurs'>): DecodedIntent | undefined {
  const head = readHead(file);
  if (head === undefined) return undefined;
  const bytes = file.subarray(head.length);
  if (bytes.at(-1) !== LINE_END || bytes.indexOf(LINE_END) !== bytes.length - 1) return undefined;
  const line = bytes.toString('utf8', 0, bytes.length - 1);
  if (head.sha256 !== checksum(line)) return undefined;
  const isOurs = origin.isOurs(line, head.origin);
  if (!isOurs && bytes.length > MAX_FOREIGN_BYTES) return undefined;
  try {
    return { intent: JSON.parse(line) as unknown, isOurs };
  } catch {
    return undefined;
  }
}

/** The first line of an intent, its end included in the length. */
function readHead(bytes: Buffer | undefined): { sha256: unknown; origin: unknown; length: number } | undefined {
  const end = bytes?.indexOf(LINE_END) ?? -1;
  if (bytes === undefined || end < 0) return undefined;
  try {
    const found: unknown = JSON.parse(bytes.toString('utf8', 0, end));
    const isHead = typeof found === 'object' && found !== null && 'format' in found && found.format === FORMAT && 'sha256' in found;
    return isHead ? { sha256: found.sha256, origin: 'origin' in found ? found.origin : undefined, length: end + 1 } : undefined;
  } catch {
    return undefined;
  }
}

const FORMAT = 'roux-intent-1';
const LINE_END = 0x0a;
/** An intent holds hashes and changes, no whole vault. */
const MAX_INTENT_BYTES = 256 * 1024 * 1024;
/** One that was not written here is read for people only. */
const MAX_FOREIGN_BYTES = 16 * 1024 * 1024;
const MAX_HEAD_BYTES = 4_096;

function toLine(intent: unknown): string {
  try {
    const line = JSON.stringify(intent);
    // The head comes before it in the file.
    if (Buffer.byteLength(line) + MAX_HEAD_BYTES <= MAX_INTENT_BYTES) return line;
  } catch (error) {
    // So says the engine of a text that is longer than it can hold.
    if (!(error instanceof RangeError && error.message.includes('string length'))) throw error;
  }
  throw new RouxError('TOO_LARGE', 'This is more than one write can hold. Nothing was changed; do it in several parts.');
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Whether a value read from a journal has the shape of an intent, to the last field. What its paths lead to is another question: `whyNotToBeDone`. */
export function isIntent(value: unknown): value is Intent {
  return intentShape.safeParse(value).success;
}

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const rewrite = { before: hash, after: hash, changes: z.array(z.unknown()).nullable(), isCommutative: z.boolean() };
const step = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('create'), path: z.string(), after: hash }),
  z.strictObject({ kind: z.literal('replace'), path: z.string(), ...rewrite }),
  z.strictObject({ kind: z.literal('move'), from: z.string(), to: z.string(), over: hash.nullable(), keepsFrom: z.boolean(), ...rewrite }),
  z.strictObject({ kind: z.literal('remove'), path: z.string(), before: hash, trash: z.string().nullable() }),
]);
const event = z.looseObject({
  seq: z.int().min(0),
  timestamp: z.string(),
  node: z.string(),
  path: z.string(),
  agent: z.string(),
  action: z.string(),
  changes: z.array(z.looseObject({ field: z.string() })),
});
const key = z.looseObject({ seq: z.int().min(0), timestamp: z.string(), key: z.string(), payload: z.string() });
const intentShape = z.strictObject({
  format: z.literal(1),
  id: z.string().regex(/^[0-9a-z]{26}$/),
  operation: z.string(),
  agent: z.string(),
  timestamp: z.string(),
  steps: z.array(step),
  events: z.array(event),
  folders: z.array(z.string()),
  key: key.optional(),
});

/**
 * Why an intent must not be carried out, whoever wrote it, in words; null where nothing speaks against it.
 * Every path of every step is held to what planning holds paths to, nothing followed, before the first one is touched:
 * an intent can only name files inside the vault that tools may write.
 */
export function whyNotToBeDone(files: FileReader, intent: Intent): string | null {
  const folders = new Set<string>();
  const faultOf = (path: string, isInside: boolean): string | null => {
    if (!isInside) return `${JSON.stringify(path)} is no file that roux may write`;
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.add(folder);
    return (files.stat(path)?.kind ?? 'file') === 'file' ? null : `${path} is not a regular file`;
  };
  for (const step of intent.steps) {
    const faults = pathsOf(step).map((path) => faultOf(path, isVaultPath(path) && !isIgnoredName(fileName(path))));
    if (step.kind === 'remove' && step.trash !== null) {
      const home = `${TRASH}/${intent.id}/`;
      faults.push(faultOf(step.trash, step.trash.startsWith(home) && isVaultPath(step.trash.slice(home.length))));
    }
    for (const fault of faults) if (fault !== null) return fault;
  }
  // Only folders that the steps need are made.
  for (const folder of intent.folders) if (!folders.has(folder)) return `${JSON.stringify(folder)} is no folder of its files`;
  for (const folder of folders) if ((files.stat(folder)?.kind ?? 'folder') !== 'folder') return `${folder} is not a folder`;
  return null;
}
