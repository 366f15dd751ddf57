import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import { fileName, folderOf, isIgnoredName, isVaultPath } from '../../note/path.ts';
import type { FileReader } from '../folder/file-system.ts';
import { hashOf } from '../folder/hash.ts';
import { readAllowed } from '../folder/system-error.ts';
import type { Origin } from '../origin.ts';
import type { HistoryEvent } from '../records/history-event.ts';
import type { KeyRecord } from '../records/keys.ts';
import { TRASH } from '../records/trash.ts';

/**
 * One file of a transaction, with hashes instead of texts, which are staged beside the intent. Paths are vault-relative, with links resolved.
 */
export type Step =
  | { readonly kind: 'create'; readonly path: string; readonly after: string }
  | (Rewrite & { readonly kind: 'replace'; readonly path: string })
  | (Rewrite & {
      readonly kind: 'move';
      readonly from: string;
      readonly to: string;
      /** Hash of the file at `to` that the same transaction moves elsewhere, as when names are exchanged; null without one. */
      readonly over: string | null;
      /** Another move of the transaction takes `from`, so it is not removed. */
      readonly keepsFrom: boolean;
    })
  | { readonly kind: 'remove'; readonly path: string; readonly before: string; readonly trash: string | null };

interface Rewrite {
  readonly before: string;
  readonly after: string;
  /** The changes as `Reapply` takes them; null when they cannot be applied to other bytes. */
  readonly changes: readonly unknown[] | null;
  /** Whether the changes can be applied to any newer bytes. */
  readonly isCommutative: boolean;
}

/** Everything that a transaction will do: enough to finish or undo it after any crash. */
export interface Intent {
  readonly format: 1;
  readonly id: string;
  readonly operation: string;
  readonly agent: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly steps: readonly Step[];
  readonly events: readonly HistoryEvent[];
  /** Folders to create, outermost first, vault-relative. */
  readonly folders: readonly string[];
  readonly key?: KeyRecord;
}

const FORMAT = 'roux-intent-1';
const LINE_END = 0x0a;
/** An intent contains hashes and changes, not a whole vault. */
const MAX_INTENT_BYTES = 256 * 1024 * 1024;
/** An intent that was not written here is only shown to people. */
const MAX_FOREIGN_BYTES = 16 * 1024 * 1024;
const MAX_HEAD_BYTES = 4_096;
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const rewrite = { before: hash, after: hash, changes: z.array(z.unknown()).nullable(), isCommutative: z.boolean() };
const step = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('create'), path: z.string(), after: hash }),
  z.strictObject({ kind: z.literal('replace'), path: z.string(), ...rewrite }),
  z.strictObject({ kind: z.literal('move'), from: z.string(), to: z.string(), over: hash.nullable(), keepsFrom: z.boolean(), ...rewrite }),
  z.strictObject({ kind: z.literal('remove'), path: z.string(), before: hash, trash: z.string().nullable() }),
]);

/** Returns the vault-relative paths of a step. */
export function pathsOf(step: Step): readonly string[] {
  return step.kind === 'move' ? [step.from, step.to] : [step.path];
}

/**
 * Returns the file content of an intent: a line with its checksum and origin, then a line with the intent. Throws `TOO_LARGE` when recovery
 * would not read it.
 */
export function encodeIntent(intent: unknown, origin: Pick<Origin, 'sign'>): Buffer {
  const line = toLine(intent);
  return Buffer.from(`${JSON.stringify({ format: FORMAT, sha256: hashOf(line), origin: origin.sign(line) })}\n${line}\n`);
}

/** An intent as found, and whether it was written in this folder. Others are not to be trusted. */
export interface DecodedIntent {
  readonly intent: unknown;
  readonly isOurs: boolean;
}

/** Reads the intent in a file. Returns undefined when there is none, or when it is incomplete, something else, or too large to be one. */
export function readIntent(files: FileReader, path: string, origin: Pick<Origin, 'isOurs'>): DecodedIntent | undefined {
  const start = readAllowed(files, path, { length: MAX_HEAD_BYTES });
  const head = readHead(start?.bytes);
  if (start === null || head === undefined || start.state.size > MAX_INTENT_BYTES) return undefined;
  return decodeIntent(readAllowed(files, path, { length: MAX_INTENT_BYTES })?.bytes ?? Buffer.alloc(0), origin);
}

/** Decodes an intent like `readIntent`. */
export function decodeIntent(file: Buffer, origin: Pick<Origin, 'isOurs'>): DecodedIntent | undefined {
  const head = readHead(file);
  if (head === undefined) return undefined;
  const bytes = file.subarray(head.length);
  if (bytes.at(-1) !== LINE_END || bytes.indexOf(LINE_END) !== bytes.length - 1) return undefined;
  const line = bytes.toString('utf8', 0, bytes.length - 1);
  if (head.sha256 !== hashOf(line)) return undefined;
  const isOurs = origin.isOurs(line, head.origin);
  if (!isOurs && bytes.length > MAX_FOREIGN_BYTES) return undefined;
  try {
    return { intent: JSON.parse(line) as unknown, isOurs };
  } catch {
    return undefined;
  }
}

/** Parses the first line of an intent. Its length includes the line end. */
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

function toLine(intent: unknown): string {
  try {
    const line = JSON.stringify(intent);
    // The first line precedes it in the file.
    if (Buffer.byteLength(line) + MAX_HEAD_BYTES <= MAX_INTENT_BYTES) return line;
  } catch (error) {
    // V8's error for a string beyond its maximum length.
    if (!(error instanceof RangeError && error.message.includes('string length'))) throw error;
  }
  throw new RouxError('TOO_LARGE', 'This is too much for one write. Nothing was changed. Split it into several writes.');
}

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

/** Returns whether a value from a journal has the shape of an intent in every field. `findIntentFault` checks its paths. */
export function isIntent(value: unknown): value is Intent {
  return intentShape.safeParse(value).success;
}

/**
 * Returns in words why an intent must not be carried out, even if it was written here; null when it may be. Before any file is touched, every
 * path of every step must satisfy what planning requires of paths, with no link followed: an intent can only name files inside the vault that
 * tools may write.
 */
export function findIntentFault(files: FileReader, intent: Intent): string | null {
  const folders = new Set<string>();
  const faultOf = (path: string, isInside: boolean): string | null => {
    if (!isInside) return `${JSON.stringify(path)} is not a file that roux may write`;
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
  // Only folders that the steps need are created.
  for (const folder of intent.folders) if (!folders.has(folder)) return `${JSON.stringify(folder)} is not a folder of its files`;
  for (const folder of folders) if ((files.stat(folder)?.kind ?? 'folder') !== 'folder') return `${folder} is not a folder`;
  return null;
}
