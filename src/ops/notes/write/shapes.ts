import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { Entry, toFields } from '../../../graph/entry.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import type { BodyPart } from '../../../note/body/patch.ts';
import { isPropertyList, nameOf, splitTags } from '../../../note/frontmatter/property-value.ts';
import type { Note, PropertyValue } from '../../../note/note.ts';
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
 * Properties to merge; null removes one (E-28). What a value may be is checked against the note (`withoutUnchanged`): it may hold what
 * no tool writes, and an agent sends back what it read.
 */
export const propertiesChange = z.record(z.string(), z.unknown());

/** Items of lists, by property. */
export const itemsInput = z.record(
  z.string().min(1).max(200),
  z.union([z.array(scalar), scalar.transform((item) => [item])], { error: 'must be a list of strings, numbers and booleans' }),
);

/** Items to remove from lists, by property; null removes the property. */
export const itemsToRemove = z.record(z.string(), z.union([z.array(z.unknown()), z.null(), scalar.transform((item) => [item])]));

export const encodingInput = z.enum(['utf-8', 'base64']);

/** Tags as they are kept: without `#`, each once, in the order given. */
export function cleanTags(tags: readonly string[]): readonly string[] {
  const clean = tags.map((tag) => tag.trim().replace(/^#+/, '')).filter((tag) => tag !== '');
  return clean.filter((tag, index) => clean.findIndex((other) => other.toLowerCase() === tag.toLowerCase()) === index);
}

/** The tags of a `tags` property: a list, or several in one text. */
export function tagsOf(value: PropertyValue | undefined): readonly string[] {
  const tags = typeof value === 'string' ? splitTags(value) : isPropertyList(value) ? value.flatMap((each) => nameOf(each) ?? []) : [];
  return cleanTags(tags);
}

/** A list as a property, absent when it is empty. */
export function listOrNothing(values: readonly string[]): PropertyValue | undefined {
  return values.length === 0 ? undefined : values;
}

/** A value that tools take for a property: a scalar, or a flat list of them (E-28). */
export type GivenValue = string | number | boolean | readonly (string | number | boolean)[];

/** Properties of a call; null removes one. */
export type GivenProperties = Readonly<Record<string, GivenValue | null>>;

/** Properties of a call before they are checked. */
export type UncheckedProperties = Readonly<Record<string, unknown>>;

/** Items of a list that are added or removed; null: the list itself. */
export type GivenItems = readonly unknown[] | null;

/** What an update changes. */
export interface Update {
  /** The title that the note gets, where it is renamed. */
  readonly title?: string | undefined;
  readonly content?: string | undefined;
  /** Changes of parts of the body, where `content` does not replace it. */
  readonly parts?: readonly BodyPart[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly properties?: GivenProperties | undefined;
  /** Items that lists of the note get besides, by property. */
  readonly add?: Readonly<Record<string, GivenItems>> | undefined;
  /** Items that lists of the note lose, by property. */
  readonly remove?: Readonly<Record<string, GivenItems>> | undefined;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly encoding?: 'utf-8' | 'base64' | undefined;
  readonly expect?: Expectation | undefined;
}

/** What a call sent of a body: what it holds need not be shown to be known. */
interface Sent {
  readonly content?: string | undefined;
  /** It replaced what the session had not read. */
  readonly isBlind?: boolean;
  /** The session had read all of what it changed. */
  readonly isKnown?: boolean;
  /** The caller wants to see all of the note. */
  readonly isWhole?: boolean;
}

/** A note as a write left it. */
export interface WriteAnswer extends NodeResponse {
  /** What `undo` takes back; absent where nothing was changed. */
  readonly batch?: string;
  /** Other files that were changed with it, as their links were. */
  readonly rewritten?: readonly string[];
  readonly rewritten_omitted?: number;
}

/** A note as the write left it, with what the write had to say about it: what others made of it since is theirs to tell. */
export async function answerWith(
  context: OperationContext,
  path: string,
  committed: Committed,
  sent: Sent = {},
): Promise<WriteAnswer | DryRun> {
  const blind =
    sent.isBlind !== true || committed.batch === null
      ? []
      : [`${path} was replaced without having been read in this session; "roux undo ${committed.batch}" brings back what it held.`];
  const said = [...blind, ...limitWarnings(committed)];
  if (context.isDryRun === true) return { dry_run: true, diff: committed.diff ?? '', ...(said.length === 0 ? {} : { _warnings: said }) };
  const onDisk = committed.written?.(path) ?? null;
  // Read where this call wrote nothing; somebody may have renamed it already.
  const found = onDisk === null ? await readNote(context, path) : { entry: entryOf(context.vault.graph.get(path), onDisk), onDisk };
  if (found === null) {
    throw new RouxError(
      'NODE_NOT_FOUND',
      `${path} was written and is gone again: somebody moved or removed it meanwhile. Look it up again.`,
      { path },
    );
  }
  const reading = toReadRecord(found.onDisk);
  if (sent.isKnown === true || sent.content?.endsWith(reading.body) === true) context.readLog?.add(path, reading, [0, reading.body.length]);
  const { _warnings: own = [], ...node } = toNodeResponse(context, found, sent.isWhole === true ? {} : TERSE);
  const warnings = [...said, ...own];
  return { ...node, ...tellWritten(committed, path), ...(warnings.length === 0 ? {} : { _warnings: warnings }) };
}

/** What an answer to a write shows of the note unless the caller asks for all of it (E-29). */
const TERSE = { content: 500, links: 10, isEcho: true };
/** So many other files that a write changed are named. */
const MAX_REWRITTEN = 10;

/** What a write did besides, and the batch that takes it back. */
function tellWritten({ batch, files }: Committed, path: string): Pick<WriteAnswer, 'batch' | 'rewritten' | 'rewritten_omitted'> {
  const others = files.filter((file) => file.changed && file.hash !== null && file.path !== path).map((file) => file.path);
  return {
    ...(batch === null ? {} : { batch }),
    ...(others.length === 0 ? {} : { rewritten: others.slice(0, MAX_REWRITTEN) }),
    ...(others.length <= MAX_REWRITTEN ? {} : { rewritten_omitted: others.length - MAX_REWRITTEN }),
  };
}

/** What the graph says of a note as it was written, also when another state of it is there by now. */
function entryOf(now: NoteEntry | null, { note, hash }: NoteOnDisk): NoteEntry {
  return now !== null && now.hash === hash ? now : entryFor(note, hash, now?.stamp);
}

/** What the graph would say of a note. */
export function entryFor(note: Note, hash: string, stamp: NoteEntry['stamp'] = NO_STAMP): NoteEntry {
  return new Entry(toFields(note, { stamp, hash }), { read: () => note.frontmatter.data });
}

const NO_STAMP: NoteEntry['stamp'] = { size: 0, mtimeNs: 0n, ctimeNs: 0n, ino: 0n };

/** The path that an earlier call with the same idempotency key answered with, else this call's. */
export function answeredPath(committed: Committed, path: string): string {
  const first = committed.isReplay === true ? committed.result : undefined;
  return typeof first === 'object' && first !== null && 'path' in first && typeof first.path === 'string' ? first.path : path;
}
