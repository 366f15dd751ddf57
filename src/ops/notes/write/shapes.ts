import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { Entry, toFields } from '../../../graph/entry.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import type { BodyPart } from '../../../note/body/patch.ts';
import { isPropertyList, nameOf, splitTags } from '../../../note/frontmatter/property-value.ts';
import type { Note, PropertyValue } from '../../../note/note.ts';
import type { Origin } from '../../../note/origin.ts';
import type { Committed, Expectation } from '../../../vault/plan/plan.ts';
import type { NoteOnDisk } from '../../../vault/sync/read-note-now.ts';
import { limitWarnings } from '../../dry-run.ts';
import type { DryRun } from '../../dry-run.ts';
import type { OperationContext } from '../../operation.ts';
import { readNote } from '../../reference.ts';
import { toReadRecord, toNodeResponse } from '../../view.ts';
import type { NodeResponse } from '../../view.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const values = [z.string(), z.number(), z.boolean(), z.array(scalar)] as const;

/** Properties of a new note (E-28). */
export const propertiesInput = z.record(
  z.string().min(1).max(200),
  z.union(values, { error: 'must be a string, a number, a boolean or a list of these' }),
);

/**
 * Properties to merge; null removes one (E-28). Values are checked later against the note (`withoutUnchanged`): it may have values that
 * tools do not write, and an agent may send them back.
 */
export const propertiesChange = z.record(z.string(), z.unknown());

/** How much of the note an answer to a write shows by default (E-29). */
const TERSE = { content: 500, links: 10, isEcho: true };

const NO_STAMP: NoteEntry['stamp'] = { size: 0, mtimeNs: 0n, ctimeNs: 0n, ino: 0n };

/** List items by property. */
export const itemsInput = z.record(
  z.string().min(1).max(200),
  z.union([z.array(scalar), scalar.transform((item) => [item])], { error: 'must be a list of strings, numbers and booleans' }),
);

/** Items to remove from lists, by property; null removes the property. */
export const itemsToRemove = z.record(z.string(), z.union([z.array(z.unknown()), z.null(), scalar.transform((item) => [item])]));

export const encodingInput = z.enum(['utf-8', 'base64']);

/** An argument of every tool that answers with the note it wrote. */
export const wholeInput = z.boolean().default(false).describe('Answer with the whole note');

/** Normalizes tags: without `#`, without duplicates, in the given order. */
export function cleanTags(tags: readonly string[]): readonly string[] {
  const clean = tags.map((tag) => tag.trim().replace(/^#+/, '')).filter((tag) => tag !== '');
  return clean.filter((tag, index) => clean.findIndex((other) => other.toLowerCase() === tag.toLowerCase()) === index);
}

/** Reads a `tags` property: a list, or several tags in one text. */
export function tagsOf(value: PropertyValue | undefined): readonly string[] {
  const tags = typeof value === 'string' ? splitTags(value) : isPropertyList(value) ? value.flatMap((each) => nameOf(each) ?? []) : [];
  return cleanTags(tags);
}

/** Returns a list as a property value, or undefined if it is empty. */
export function listOrNothing(values: readonly string[]): PropertyValue | undefined {
  return values.length === 0 ? undefined : values;
}

/** A property value that tools accept: a scalar, or a flat list of scalars (E-28). */
export type GivenValue = string | number | boolean | readonly (string | number | boolean)[];

/** Properties of a call; null removes one. */
export type GivenProperties = Readonly<Record<string, GivenValue | null>>;

/** Properties of a call before validation. */
export type UncheckedProperties = Readonly<Record<string, unknown>>;

/** Items to add to or remove from a list; null is the whole list. */
export type GivenItems = readonly unknown[] | null;

/** The changes of an update. */
export interface Update {
  /** The new title, for a rename. */
  readonly title?: string | undefined;
  readonly content?: string | undefined;
  /** Changes of parts of the body, if `content` does not replace it. */
  readonly parts?: readonly BodyPart[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly properties?: GivenProperties | undefined;
  /** Items to add to lists, by property. */
  readonly add?: Readonly<Record<string, GivenItems>> | undefined;
  /** Items to remove from lists, by property. */
  readonly remove?: Readonly<Record<string, GivenItems>> | undefined;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly encoding?: 'utf-8' | 'base64' | undefined;
  /** Who the text comes from, if that is less than the caller. */
  readonly origin?: Origin | undefined;
  readonly expect?: Expectation | undefined;
}

/** The note that a write is about: the result of its plan. */
export interface PlannedNote {
  /** After the write. */
  readonly path: string;
  /** Before the write, of a note that existed. */
  readonly previousPath?: string;
  /** It replaces a body that the session had not read. */
  readonly isBlind?: boolean;
  /** The session had read everything that it changes. */
  readonly isKnown?: boolean;
}

/** What a call sent of a body, and so has no need to read. */
interface Sent {
  readonly content?: string | undefined;
  /** The caller wants the whole note. */
  readonly isWhole?: boolean;
}

/** A note after a write. */
export interface WriteAnswer extends NodeResponse {
  /** For `undo`; absent if nothing was changed. */
  readonly batch?: string;
  /** Other files that were changed, mostly for their links. */
  readonly rewritten?: readonly string[];
  readonly rewritten_omitted?: number;
}

/** Answers with the note as this write left it, and with its warnings; later changes by others are not included. */
export async function answerWith(
  context: OperationContext,
  committed: Committed<PlannedNote>,
  sent: Sent = {},
): Promise<WriteAnswer | DryRun> {
  const { path, ...planned } = committed.result;
  // The first call may have been made in another session.
  const { isBlind = false, isKnown = false } = committed.isReplay === true ? {} : planned;
  const blind =
    !isBlind || committed.batch === null
      ? []
      : [`${path} was replaced without having been read in this session; "roux undo ${committed.batch}" brings back what it held.`];
  const writeWarnings = [...blind, ...limitWarnings(committed)];
  if (context.writeOptions.dryRun === true)
    return { dry_run: true, diff: committed.diff ?? '', ...(writeWarnings.length === 0 ? {} : { _warnings: writeWarnings }) };
  const onDisk = committed.written?.(path) ?? null;
  // Without a write of its own the note is read; it may have been renamed meanwhile.
  const found = onDisk === null ? await readNote(context, path) : { entry: entryOf(context.vault.graph.get(path), onDisk), onDisk };
  if (found === null) {
    throw new RouxError(
      'NODE_NOT_FOUND',
      `${path} was written and is gone again: somebody moved or removed it meanwhile. Look it up again.`,
      { path },
    );
  }
  const record = toReadRecord(found.onDisk);
  if (isKnown || sent.content?.endsWith(record.body) === true) context.readLog?.add(path, record, [0, record.body.length]);
  const { _warnings: own = [], ...node } = toNodeResponse(context, found, sent.isWhole === true ? {} : TERSE);
  const warnings = [...writeWarnings, ...own];
  return { ...node, ...describeWritten(committed, path), ...(warnings.length === 0 ? {} : { _warnings: warnings }) };
}

/** Maximum number of other changed files named. */
const MAX_REWRITTEN = 10;

/** Reports the batch of a write and the other files it changed. */
function describeWritten({ batch, files }: Committed, path: string): Pick<WriteAnswer, 'batch' | 'rewritten' | 'rewritten_omitted'> {
  const others = files.filter((file) => file.changed && file.hash !== null && file.path !== path).map((file) => file.path);
  return {
    ...(batch === null ? {} : { batch }),
    ...(others.length === 0 ? {} : { rewritten: others.slice(0, MAX_REWRITTEN) }),
    ...(others.length <= MAX_REWRITTEN ? {} : { rewritten_omitted: others.length - MAX_REWRITTEN }),
  };
}

/** Returns the graph entry of a note as it was written, even if the file has changed since. */
function entryOf(now: NoteEntry | null, { note, hash }: NoteOnDisk): NoteEntry {
  return now !== null && now.hash === hash ? now : entryFor(note, hash, now?.stamp);
}

/** Builds the graph entry of a note. */
export function entryFor(note: Note, hash: string, stamp: NoteEntry['stamp'] = NO_STAMP): NoteEntry {
  return new Entry(toFields(note, { stamp, hash }), { read: () => note.frontmatter.data });
}
