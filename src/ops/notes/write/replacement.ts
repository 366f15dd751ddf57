import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { readBodySection, SECTION_NAMES } from '../../../note/body/section.ts';
import { sameValue } from '../../../note/frontmatter/property-value.ts';
import { mergeBodies } from '../../../note/merge.ts';
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

/** What comes of content that is to replace the body of a note. */
export interface Replacement {
  readonly body: string;
  /** What the caller is to be told besides. */
  readonly warnings: readonly string[];
  /** The session has not read what it replaces. */
  readonly isBlind: boolean;
}

type Given = Pick<Update, 'tags' | 'properties' | 'expect'>;

/** So much of a difference is told with a conflict. */
const MAX_DIFF_CHARACTERS = 1_000;

/**
 * What replaces the body of a note as it is now (E-08 to E-11): the content as given, with what a person changed since this session
 * read the note merged into it. Refused with `INVALID_PARAMS` where the session saw only a part of the note, or sends the mark of a
 * cut back; with `CONFLICT` where both changed the same lines.
 */
export function replaceBody(
  context: OperationContext,
  entry: NoteEntry,
  now: NoteOnDisk,
  given: { readonly content: string; readonly isExpected: boolean },
): Replacement {
  const body = bodyOf(now);
  const { content, kept } = keepSections(context, entry, now, given.content);
  const warnings =
    kept.length === 0 ? [] : [`${kept.map((name) => `## ${name}`).join(' and ')} of ${entry.path} stayed: content brought none.`];
  const as = (text: string, more: readonly string[] = [], isBlind = false): Replacement => ({
    body: text,
    warnings: [...warnings, ...more],
    isBlind,
  });
  if (content === body || context.readLog === null) return as(content);
  const reading = context.readLog.find(entry.path, now.hash);
  const unseen = reading === null ? null : findUnreadRange(reading);
  if (unseen !== null) {
    const [from, to] = unseen;
    const message = `content: this session was shown ${entry.path} without the characters ${from} to ${to}, which replacing it would drop; read them with get_node {id, offset: ${from}}, then send the whole content.`;
    throw new RouxError('INVALID_PARAMS', message, { field: 'content', path: entry.path, offset: from });
  }
  // Who has seen all of the note means what it says.
  if (reading === null && given.content.includes(TRUNCATED_SUFFIX) && !body.includes(TRUNCATED_SUFFIX)) {
    const message = `content: it contains "${TRUNCATED_SUFFIX}", the mark of an answer that was shortened; read the rest with get_node {id, offset} and send the whole content.`;
    throw new RouxError('INVALID_PARAMS', message, { field: 'content', path: entry.path });
  }
  if (given.isExpected || body.trim() === '') return as(content);
  if (reading === null) {
    if (context.config.writes.blind === 'warn') return as(content, [], true);
    const message = `content: this session has not read ${entry.path}, which it would replace; read it with get_node first, or pass its etag as if_match.`;
    throw new RouxError('CONFLICT', message, { path: entry.path, rev: now.rev, etag: etagOf(now.hash) });
  }
  if (reading.body === body) return as(content);
  if (given.content === reading.body)
    return as(body, [
      `${entry.path} was changed since this session read it, and content is as it was then: the change stayed, and nothing else was made.`,
    ]);
  const merged = mergeTexts({ base: reading.body, ours: content, theirs: body });
  if (merged !== null) return as(merged, [`${entry.path} was changed since this session read it; both changes are in it now.`]);
  const changed = shorten(diffTexts({ from: 'as read', to: 'as it is' }, reading.body, body), MAX_DIFF_CHARACTERS);
  throw new RouxError(
    'CONFLICT',
    `${entry.path} was changed since this session read it, in lines that content changes too; read it again.`,
    {
      path: entry.path,
      rev: now.rev,
      etag: etagOf(now.hash),
      diff: changed,
    },
  );
}

/** The tags that a note is to have: as given, with what a person added or removed since this session read the note. */
export function mergeTags(context: OperationContext, entry: NoteEntry, given: Given): readonly string[] {
  const tags = cleanTags(given.tags ?? []);
  const reading = readingFor(context, entry, given);
  if (reading === null) return tags;
  const [before, now] = [foldedTags(reading.properties['tags']), foldedTags(entry.properties['tags'])];
  const kept = tags.filter((tag) => now.has(foldKey(tag)) || !before.has(foldKey(tag)));
  const mine = new Set(tags.map(foldKey));
  const added = [...now].filter(([key]) => !before.has(key) && !mine.has(key)).map(([, tag]) => tag);
  return [...kept, ...added];
}

/** What the session knows of a note; null where it says itself which state it means. A revision says little: people's edits do not count it on. */
function readingFor({ readLog }: OperationContext, entry: NoteEntry, { expect }: Given): ReadRecord | null {
  return expect?.etag === undefined ? (readLog?.find(entry.path, entry.hash) ?? null) : null;
}

/** What was shown of a note before it was renamed is known under its name of now. */
export async function followRename({ vault, readLog }: OperationContext, { path, hash }: NoteEntry): Promise<void> {
  if (readLog === null || readLog.find(path, hash) !== null) return;
  const gone = [...readLog.paths()].filter((other) => vault.graph.get(other) === null);
  if (gone.length === 0) return;
  const { own: now } = await vault.movedNotes();
  const former = gone.find((other) => now.get(other) === path);
  if (former !== undefined) readLog.move(former, path);
}

function foldedTags(value: PropertyValue | undefined): ReadonlyMap<string, string> {
  return new Map(tagsOf(value).map((tag) => [foldKey(tag), tag]));
}

/** The properties as given; `CONFLICT` where a person has given one of them another value since this session read the note. */
export function checkedProperties(context: OperationContext, entry: NoteEntry, given: Given): NonNullable<Given['properties']> {
  const properties = given.properties ?? {};
  const reading = readingFor(context, entry, given);
  if (reading === null || reading.hash === entry.hash) return properties;
  const isTask = isTaskNote(context, entry);
  const [before, now] = [withAliases(reading.properties, isTask), withAliases(entry.properties, isTask)];
  const isOther = (name: string, value: unknown): boolean =>
    JSON.stringify(before[name]) !== JSON.stringify(now[name]) && JSON.stringify(now[name] ?? null) !== JSON.stringify(value);
  const changed = Object.entries(properties).flatMap(([name, value]) => (isOther(name, value) ? [name] : []));
  if (changed.length > 0) throw changedMeanwhile(entry, changed, now);
  return properties;
}

/** What the frontmatter of content changes in the note as the session read it; `CONFLICT` where a person has changed the same since. */
export function checkedValues(
  context: OperationContext,
  entry: NoteEntry,
  given: Given,
  values: Properties,
): readonly [string, PropertyValue][] {
  const reading = readingFor(context, entry, given);
  if (reading === null || reading.hash === entry.hash) return Object.entries(values);
  const { properties: before } = reading;
  const mine = Object.entries(values).filter(([name, value]) => !sameValue(before[name], value));
  const changed = mine.flatMap(([name]) => (sameValue(before[name], entry.properties[name]) ? [] : [name]));
  if (changed.length > 0) throw changedMeanwhile(entry, changed, entry.properties);
  return mine;
}

function changedMeanwhile(entry: NoteEntry, changed: readonly string[], now: Properties): RouxError {
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

/** The three-way merge of bodies with the line ends of `theirs`, or null where both sides changed the same lines. */
function mergeTexts(sides: { readonly base: string; readonly ours: string; readonly theirs: string }): string | null {
  const unix = (text: string): string => text.replaceAll('\r\n', '\n');
  const merged = mergeBodies({ base: unix(sides.base), ours: unix(sides.ours), theirs: unix(sides.theirs) }, '\n');
  if (merged.conflicts) return null;
  return lineEnding(sides.theirs) === '\r\n' ? merged.text.replaceAll('\n', '\r\n') : merged.text;
}

/** In notes of the memory, ontology and task tools, what they keep in sections stays unless the content brings its own (S0-17, S0-24). */
function keepSections(
  context: OperationContext,
  entry: NoteEntry,
  now: NoteOnDisk,
  content: string,
): { readonly content: string; readonly kept: readonly string[] } {
  if (entry.type === null && !hasToolSections(context, entry)) return { content, kept: [] };
  const eol = lineEnding(now.note.text);
  const kept = SECTION_NAMES.flatMap((name) => {
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
  if (kept.length === 0) return { content, kept: [] };
  const texts = kept.sort((a, b) => a.start - b.start).map(({ text }) => `${text}${eol}`);
  // Connections stand so that what is above them can be told exactly (`add-line`, `apart`).
  const isApart = kept.every(({ name }) => name === 'Relations');
  const before = content.trim() === '' ? [] : [content.endsWith('\n') ? content : `${content}${eol}`];
  const whole = isApart ? content + eol.repeat(2) + texts.join(eol) : [...before, ...texts].join(eol);
  const swallowed = kept.find(({ name, count }) => readBodySection(whole, name)?.entries.length !== count);
  if (swallowed !== undefined) {
    const message = `content: it leaves a code block, comment or HTML open, which would swallow ## ${swallowed.name} of ${entry.path} after it; close it.`;
    throw new RouxError('INVALID_PARAMS', message, { field: 'content', path: entry.path });
  }
  return { content: whole, kept: kept.map(({ name }) => name) };
}
