import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { textBelow, withoutHeading } from '../../../note/body/find-heading.ts';
import type { BodyPart } from '../../../note/body/patch.ts';
import { readBodySection, SECTION_NAMES } from '../../../note/body/section.ts';
import { sameValue } from '../../../note/frontmatter/property-value.ts';
import { mergeBodies } from '../../../note/merge/merge.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import { foldKey } from '../../../note/path.ts';
import { lineEnding } from '../../../note/text.ts';
import { diffTexts } from '../../../vault/plan/unified-diff.ts';
import type { NoteOnDisk } from '../../../vault/sync/read-note-now.ts';
import { hasToolSections } from '../../vault-ontology.ts';
import { isTaskNote, listProperties } from '../../node-properties.ts';
import type { OperationContext } from '../../operation.ts';
import { findUnreadRange } from '../../read-log.ts';
import type { ReadRecord } from '../../read-log.ts';
import { TRUNCATED_SUFFIX, shorten } from '../../shorten.ts';
import { bodyOf, etagOf } from '../../view.ts';
import { cleanTags, tagsOf } from './shapes.ts';
import type { Update } from './shapes.ts';

/** The new body of a note. */
export interface Replacement {
  readonly body: string;
  /** Warnings for the caller. */
  readonly warnings: readonly string[];
  /** The session has not read the replaced body. */
  readonly isBlind: boolean;
}

type Given = Pick<Update, 'tags' | 'properties'>;

/** Maximum characters of the diff in a conflict. */
const MAX_DIFF_CHARACTERS = 1_000;

/**
 * Returns the new body for content that replaces the present one (E-08 to E-11), with external changes since the session read the note
 * merged into it. Throws `INVALID_PARAMS` if the session saw only a part of the note or sends back a truncation mark, and `CONFLICT` if
 * both sides changed the same lines.
 */
export function replaceBody(
  context: OperationContext,
  entry: NoteEntry,
  now: NoteOnDisk,
  given: { readonly content: string; readonly isExpected: boolean },
): Replacement {
  const body = bodyOf(now);
  const { content, retained } = retainSections(context, entry, now, given.content);
  const warnings =
    retained.length === 0 ? [] : [`${retained.map((name) => `## ${name}`).join(' and ')} of ${entry.path} stayed: content brought none.`];
  const as = (text: string, more: readonly string[] = [], isBlind = false): Replacement => ({
    body: text,
    warnings: [...warnings, ...more],
    isBlind,
  });
  if (content === body || context.readLog === null) return as(content);
  const record = context.readLog.find(entry.path, now.hash);
  const unseen = record === null ? null : findUnreadRange(record);
  if (unseen !== null) {
    const [from, to] = unseen;
    const message = `content: this session was shown ${entry.path} without the characters ${from} to ${to}, which replacing it would drop; read them with get_node {id, offset: ${from}}, then send the whole content.`;
    throw new RouxError('INVALID_PARAMS', message, { field: 'content', path: entry.path, offset: from });
  }
  // Only a session that has not read the note can have copied the mark from a truncated answer.
  if (record === null && given.content.includes(TRUNCATED_SUFFIX) && !body.includes(TRUNCATED_SUFFIX)) {
    const message = `content: it contains "${TRUNCATED_SUFFIX}", the mark of an answer that was shortened; read the rest with get_node {id, offset} and send the whole content.`;
    throw new RouxError('INVALID_PARAMS', message, { field: 'content', path: entry.path });
  }
  if (body.trim() === '') return as(content);
  if (record === null) {
    if (given.isExpected) return as(content);
    if (context.config.writes.blind === 'warn') return as(content, [], true);
    const message = `content: this session has not read ${entry.path}, which it would replace; read it with get_node first, or pass its etag as if_match.`;
    throw new RouxError('CONFLICT', message, { path: entry.path, rev: now.rev, etag: etagOf(now.hash) });
  }
  if (record.body === body) return as(content);
  if (given.content === record.body)
    return as(body, [
      `${entry.path} was changed since this session read it, and content is as it was then: the change stayed, and nothing else was made.`,
    ]);
  const merged = mergeTexts({ base: record.body, ours: content, theirs: body });
  if (merged !== null) return as(merged, [`${entry.path} was changed since this session read it; both changes are in it now.`]);
  throw new RouxError(
    'CONFLICT',
    `${entry.path} was changed since this session read it, in lines that content changes too; read it again.`,
    {
      path: entry.path,
      rev: now.rev,
      etag: etagOf(now.hash),
      diff: diffSince(record, body),
    },
  );
}

/** New parts of a body, with what others changed in the sections that they replace. */
interface MergedParts {
  readonly parts: readonly BodyPart[];
  readonly warnings: readonly string[];
  /** The state that was compared; absent if none was, as the session has not read the note. */
  readonly etag?: string;
  /** The body as the session knows it then, if that is not the one on disk. */
  readonly view?: string;
}

/**
 * Merges what was changed in a section since the session read it into the text that replaces it. Throws `CONFLICT` if both changed the same
 * lines.
 */
export function mergeSections(context: OperationContext, entry: NoteEntry, parts: readonly BodyPart[]): MergedParts {
  const record = parts.some(({ kind }) => kind === 'section') ? findReadRecord(context, entry) : null;
  if (record === null) return { parts, warnings: [] };
  const now = record.hash === entry.hash ? null : context.vault.notes.readUnstable(entry.path);
  if (now === null) return { parts, warnings: [], etag: entry.hash };
  let view = record.body;
  const warnings: string[] = [];
  const merged = parts.map((part) => {
    if (part.kind !== 'section') return part;
    // After a line end, so that a rule at the top is not frontmatter.
    const [base, theirs] = [textBelow(`\n${view}`, part.heading), textBelow(now.note.text, part.heading)];
    if (base === null || theirs === null) return part;
    const [start, end] = [base.start - 1, base.end - 1];
    const isShown = record.shown.some(([from, to]) => from <= start && to >= end);
    const ours = withoutHeading(part.text, theirs.section).replace(/(?<![\r\n])[\r\n]+$/, '');
    view = view.slice(0, start) + ours + view.slice(end);
    if (!isShown || base.text === theirs.text || ours === theirs.text) return part;
    const text = mergeTexts({ base: base.text, ours, theirs: theirs.text });
    const what = `${JSON.stringify(theirs.section.heading.text)} of ${entry.path} was changed since this session read it`;
    if (text === null)
      throw new RouxError('CONFLICT', `${what}, in lines that section changes too; read it again.`, {
        path: entry.path,
        rev: now.rev,
        etag: etagOf(now.hash),
        diff: shorten(diffTexts({ from: 'as read', to: 'as it is' }, base.text, theirs.text), MAX_DIFF_CHARACTERS),
      });
    warnings.push(text === theirs.text ? `${what}: the change stayed, and nothing else was made.` : `${what}; both changes are in it now.`);
    return { ...part, text };
  });
  return { parts: merged, warnings, view, etag: now.hash };
}

/** Waits for a write, and adds to its `CONFLICT` how the text of the note differs from what the session has read of it. */
export async function withConflictDiff<T>({ vault, readLog }: OperationContext, writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    if (!(error instanceof RouxError) || error.code !== 'CONFLICT' || error.details?.['diff'] !== undefined) throw error;
    const path = error.details?.['path'];
    const now = typeof path === 'string' && readLog !== null ? await vault.notes.read(path) : null;
    const record = now === null ? null : (readLog?.find(now.note.path, now.hash) ?? null);
    if (now === null || record === null || record.body === bodyOf(now)) throw error;
    const { message, details, retryable } = error;
    throw new RouxError('CONFLICT', message, { ...details, diff: diffSince(record, bodyOf(now)) }, { cause: error, retryable });
  }
}

function diffSince(record: ReadRecord, body: string): string {
  return shorten(diffTexts({ from: 'as read', to: 'as it is' }, record.body, body), MAX_DIFF_CHARACTERS);
}

/** Merges the given tags with external changes since the session read the note. */
export function mergeTags(context: OperationContext, entry: NoteEntry, given: Given): readonly string[] {
  const tags = cleanTags(given.tags ?? []);
  const record = findReadRecord(context, entry);
  if (record === null) return tags;
  const [before, now] = [foldedTags(record.properties['tags']), foldedTags(entry.properties['tags'])];
  const retained = tags.filter((tag) => now.has(foldKey(tag)) || !before.has(foldKey(tag)));
  const changedHere = new Set(tags.map(foldKey));
  const added = [...now].filter(([key]) => !before.has(key) && !changedHere.has(key)).map(([, tag]) => tag);
  return [...retained, ...added];
}

/**
 * Returns what the session has read of a note. It counts even if the call names the present state by an etag or a revision: answers to writes
 * tell both without showing the note.
 */
function findReadRecord({ readLog }: OperationContext, { path, hash }: NoteEntry): ReadRecord | null {
  return readLog?.find(path, hash) ?? null;
}

/** Moves what the session has read of a note to its new path if it was renamed externally. */
export async function followRename({ vault, readLog }: OperationContext, { path, hash }: NoteEntry): Promise<void> {
  if (readLog === null || readLog.find(path, hash) !== null) return;
  const missing = [...readLog.paths()].filter((other) => vault.graph.get(other) === null);
  if (missing.length === 0) return;
  const { own: now } = await vault.history.movedNotes();
  const previous = missing.find((other) => now.get(other) === path);
  if (previous !== undefined) readLog.move(previous, path);
}

function foldedTags(value: PropertyValue | undefined): ReadonlyMap<string, string> {
  return new Map(tagsOf(value).map((tag) => [foldKey(tag), tag]));
}

/** Returns the given properties. Throws `CONFLICT` if one of them was changed externally since the session read the note. */
export function checkProperties(context: OperationContext, entry: NoteEntry, given: Given): NonNullable<Given['properties']> {
  const properties = given.properties ?? {};
  const record = findReadRecord(context, entry);
  if (record === null || record.hash === entry.hash) return properties;
  const isTask = isTaskNote(context, entry);
  const [before, now] = [withAliases(record.properties, isTask), withAliases(entry.properties, isTask)];
  const isOther = (name: string, value: unknown): boolean =>
    JSON.stringify(before[name]) !== JSON.stringify(now[name]) && JSON.stringify(now[name] ?? null) !== JSON.stringify(value);
  const changed = Object.entries(properties).flatMap(([name, value]) => (isOther(name, value) ? [name] : []));
  if (changed.length > 0) throw conflictError(entry, changed, now);
  return properties;
}

/**
 * Returns the frontmatter values that the session changed compared to what it read. Throws `CONFLICT` if they were changed externally too.
 */
export function checkFrontmatterValues(
  context: OperationContext,
  entry: NoteEntry,
  values: Properties,
): readonly [string, PropertyValue][] {
  const record = findReadRecord(context, entry);
  if (record === null || record.hash === entry.hash) return Object.entries(values);
  const { properties: before } = record;
  const changedHere = Object.entries(values).filter(([name, value]) => !sameValue(before[name], value));
  const changed = changedHere.flatMap(([name]) => (sameValue(before[name], entry.properties[name]) ? [] : [name]));
  if (changed.length > 0) throw conflictError(entry, changed, entry.properties);
  return changedHere;
}

function conflictError(entry: NoteEntry, changed: readonly string[], now: Properties): RouxError {
  const values = Object.fromEntries(changed.map((name) => [name, now[name] ?? null]));
  return new RouxError(
    'CONFLICT',
    `${entry.path}: ${changed.join(', ')} changed since this session read the note, to ${shorten(JSON.stringify(values), 500)}; read it again.`,
    { path: entry.path, etag: etagOf(entry.hash), properties: values },
  );
}

function withAliases(data: Properties, isTask: boolean): Properties {
  const { aliases } = data;
  return { ...(aliases === undefined ? {} : { aliases }), ...listProperties(data, isTask) };
}

/** Merges two versions of a body, with the line ends of `theirs`; null if both changed the same lines. */
function mergeTexts(sides: { readonly base: string; readonly ours: string; readonly theirs: string }): string | null {
  const unix = (text: string): string => text.replaceAll('\r\n', '\n');
  const merged = mergeBodies({ base: unix(sides.base), ours: unix(sides.ours), theirs: unix(sides.theirs) }, '\n');
  if (merged.conflicts) return null;
  return lineEnding(sides.theirs) === '\r\n' ? merged.text.replaceAll('\n', '\r\n') : merged.text;
}

/** Retains the sections of the memory, ontology and task tools unless the content has its own (S0-17, S0-24). */
function retainSections(
  context: OperationContext,
  entry: NoteEntry,
  now: NoteOnDisk,
  content: string,
): { readonly content: string; readonly retained: readonly string[] } {
  if (entry.type === null && !hasToolSections(context, entry)) return { content, retained: [] };
  const eol = lineEnding(now.note.text);
  const retained = SECTION_NAMES.flatMap((name) => {
    const section = readBodySection(now.note.text, name);
    const isKept = section !== null && section.entries.length > 0 && readBodySection(content, name) === null;
    return isKept
      ? [
          {
            name,
            count: section.entries.length,
            start: section.heading.start,
            text: now.note.text.slice(section.heading.start, section.end).trimEnd(),
          },
        ]
      : [];
  });
  if (retained.length === 0) return { content, retained: [] };
  const texts = retained.sort((a, b) => a.start - b.start).map(({ text }) => `${text}${eol}`);
  // Connections follow at an exact distance, so that the text above them can be recovered (`add-line`, `apart`).
  const isApart = retained.every(({ name }) => name === 'Relations');
  const before = content.trim() === '' ? [] : [content.endsWith('\n') ? content : `${content}${eol}`];
  const whole = isApart ? content + eol.repeat(2) + texts.join(eol) : [...before, ...texts].join(eol);
  const swallowed = retained.find(({ name, count }) => readBodySection(whole, name)?.entries.length !== count);
  if (swallowed !== undefined) {
    const message = `content: it leaves a code block, comment or HTML open, which would swallow ## ${swallowed.name} of ${entry.path} after it; close it.`;
    throw new RouxError('INVALID_PARAMS', message, { field: 'content', path: entry.path });
  }
  return { content: whole, retained: retained.map(({ name }) => name) };
}
