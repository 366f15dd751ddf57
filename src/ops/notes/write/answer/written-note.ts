import { RouxError } from '../../../../errors.ts';
import type { NoteEntry } from '../../../../graph/view.ts';
import { findFrontmatter } from '../../../../note/frontmatter/read-frontmatter.ts';
import { withStampsOf } from '../../../../note/stamps.ts';
import type { Committed } from '../../../../vault/plan/plan.ts';
import type { NoteOnDisk } from '../../../../vault/sync/read-note-now.ts';
import { limitWarnings } from '../../../dry-run.ts';
import type { DryRun } from '../../../dry-run.ts';
import { tellRevision } from '../../../node-properties.ts';
import { findMissingParts } from '../../../names/missing-parts.ts';
import type { OperationContext } from '../../../operation.ts';
import { readNote } from '../../../reference.ts';
import type { FoundNote } from '../../../reference.ts';
import { etagOf, toNodeResponse, toNoteName, toReadRecord } from '../../../view.ts';
import type { NodeResponse, NoteName } from '../../../view.ts';
import { entryFor } from '../shapes.ts';
import { changedLines } from './changed-lines.ts';

/** The note that a write is about: the result of its plan. */
export interface PlannedNote {
  /** After the write. */
  readonly path: string;
  /** Before the write, of a note that existed. */
  readonly previousPath?: string;
  /** It replaces a body that the session had not read. */
  readonly isBlind?: boolean;
  /** The session knows the body after the write: it had read the body before, and says what changes. */
  readonly isBodyKnown?: boolean;
  /** What the session had read was current, or the write makes the note. */
  readonly isCurrent?: boolean;
  /** Number of other files in which links to a section that moved were rewritten. */
  readonly relinked?: number;
  /** There was such a note, which `if_exists: "skip"` leaves as it is. */
  readonly isSkipped?: boolean;
}

/** What a call sent of a body, and so has no need to read. */
interface Sent {
  readonly content?: string | undefined;
  /** The body as the session knows it then: as it had read it, with the sections that it replaced. */
  readonly view?: string | undefined;
  /** The caller wants the whole note. */
  readonly isWhole?: boolean;
}

/** Which note was written. */
type WrittenNote = NoteName & Pick<NodeResponse, 'rev' | 'etag'>;

/** What a write did to a note (A-13); with the whole note where the caller wants it. */
export interface WriteAnswer extends Partial<Omit<NodeResponse, keyof WrittenNote>>, WrittenNote {
  /** The lines that changed, `-` before and `+` after, without the stamps. */
  readonly changed?: string;
  /** Present and true where `if_exists: "skip"` left an existing note as it was. */
  readonly skipped?: boolean;
  /** For `undo`; absent if nothing was changed. */
  readonly batch?: string;
  /** Other files that were changed, mostly for their links. */
  readonly rewritten?: readonly string[];
  readonly rewritten_omitted?: number;
  /** Number of other files in which links to a section that moved were rewritten. */
  readonly links_rewritten_in?: number;
}

/** Answers with what this write did to the note, and with its warnings; later changes by others are not included. */
export async function answerWith(
  context: OperationContext,
  committed: Committed<PlannedNote>,
  sent: Sent = {},
): Promise<WriteAnswer | DryRun> {
  const { path, ...planned } = committed.result;
  // The first call may have been made in another session.
  const { isBlind = false, isBodyKnown = false, isCurrent = false } = committed.isReplay === true ? {} : planned;
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
  if (planned.isSkipped !== true) logWritten(context, found, { ...sent, isBodyKnown, isCurrent });
  const { _warnings: own = [], ...node } = sent.isWhole === true ? toNodeResponse(context, found) : toWrittenNote(context, found);
  const warnings = [...writeWarnings, ...own, ...(onDisk === null ? [] : warnOfMissingParts(context, committed, path))];
  return {
    ...node,
    ...(planned.isSkipped === true ? { skipped: true } : {}),
    ...(onDisk === null ? {} : describeChange(committed, path, onDisk)),
    ...describeWritten(committed, path),
    ...(planned.relinked === undefined ? {} : { links_rewritten_in: planned.relinked }),
    ...(warnings.length === 0 ? {} : { _warnings: warnings }),
  };
}

/** Records what a session knows of a note that it wrote. What others had changed before has not been shown to it. */
function logWritten(
  { readLog }: OperationContext,
  { entry: { path }, onDisk }: FoundNote,
  { content, view, isBodyKnown, isCurrent }: Pick<PlannedNote, 'isBodyKnown' | 'isCurrent'> & Pick<Sent, 'content' | 'view'>,
): void {
  if (readLog === null || onDisk.isPartial) return;
  const record = toReadRecord(onDisk);
  const last = isCurrent === true ? record : (readLog.find(path, record.hash) ?? record);
  const { properties } = last;
  if (isBodyKnown === true || content?.endsWith(record.body) === true)
    readLog.add(path, { ...record, properties }, [0, record.body.length]);
  // Something of others is in it too. What was sent is what the next replacement starts from; no file has that text.
  else if (content !== undefined && findFrontmatter(content) === null)
    readLog.add(path, { hash: '', body: content, properties }, [0, content.length]);
  else if (isCurrent === true) readLog.addOwn(path, record);
  else if (view !== undefined) readLog.addOwn(path, { hash: '', body: view, properties });
}

function toWrittenNote(context: OperationContext, { entry, onDisk }: FoundNote): WrittenNote & Pick<WriteAnswer, '_warnings'> {
  const warnings = context.takeWarnings(entry);
  return {
    ...toNoteName(entry),
    rev: tellRevision(context, { entry, onDisk }),
    etag: etagOf(onDisk.hash),
    ...(warnings.length === 0 ? {} : { _warnings: warnings }),
  };
}

/** Maximum number of links to missing headings that one answer names. */
const MAX_MISSING_PARTS = 5;

/** Warns of links to headings and blocks that are not there, as far as this write brought them. */
function warnOfMissingParts({ vault }: OperationContext, { before }: Committed, path: string): readonly string[] {
  const previous = before?.(path) ?? '';
  return findMissingParts(vault, vault.graph, [path], (link) => !previous.includes(`[[${link}`))
    .slice(0, MAX_MISSING_PARTS)
    .map(({ message, nearest }) => {
      const near = nearest();
      return `${message}${near === undefined ? '' : `; nearest: ${JSON.stringify(near)}`}.`;
    });
}

/** Returns the changed lines of a note that was written; none if it did not exist. */
function describeChange({ before }: Committed, path: string, { note: { text } }: NoteOnDisk): Pick<WriteAnswer, 'changed'> {
  const previous = before?.(path) ?? null;
  const changed = previous === null ? '' : changedLines(withStampsOf(path, previous, text), text);
  return changed === '' ? {} : { changed };
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
