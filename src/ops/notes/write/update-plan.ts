import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import { applyChanges } from '../../../note/edit.ts';
import { valueAt } from '../../../note/frontmatter/property-edit.ts';
import { isPropertyList, sameValue } from '../../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../../note/note.ts';
import { readBody } from '../../../note/parse.ts';
import { foldKey } from '../../../note/path.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { NoteOnDisk } from '../../../vault/sync/read-note-now.ts';
import { hasToolSections } from '../../vault-ontology.ts';
import { ORIGIN, originToWrite, statedOrigin } from '../../call/origin.ts';
import { isTaskNote } from '../../node-properties.ts';
import { currentTime } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { createFileSuffix, isStoredFor, storeContent, findStoredFile } from '../../typed-content.ts';
import { bodyOf } from '../../view.ts';
import { refuseLostHeading } from './body-parts.ts';
import { separateFrontmatter } from './content-block.ts';
import { planProperties, refuseTaskFields, separateTags, withoutUnchanged } from './given-properties.ts';
import { describeDropped, retainNotation, planItems } from './list-changes.ts';
import { checkProperties, checkFrontmatterValues, mergeSections, mergeTags, replaceBody } from './replacement.ts';
import type { Replacement } from './replacement.ts';
import { tagsOf } from './shapes.ts';
import type { UncheckedProperties, Update } from './shapes.ts';

/** An update with unchecked properties. */
export type GivenUpdate = Omit<Update, 'properties'> & { readonly properties?: UncheckedProperties | undefined };

/** A planned update: the files that it changes (the note, and its attachment with binary content), and warnings. */
export interface PlannedUpdate {
  readonly files: readonly FileChange[];
  readonly warnings: readonly string[];
  /** The session has not read the replaced body. */
  readonly isBlind: boolean;
  /** The body as the session knows it then, if that is not the one on disk. */
  readonly view?: string | undefined;
}

/** Plans an update of a note against its current file. Called under the lock. */
export function planUpdate(context: OperationContext, entry: NoteEntry, given: GivenUpdate): PlannedUpdate {
  const onDisk = given.content === undefined ? null : context.vault.notes.readUnstable(entry.path);
  const isTask = isTaskNote(context, entry);
  const { properties, warnings: left } = withoutUnchanged(given.properties ?? {}, entry, { isTask });
  const { update: unfolded, values } = separateFrontmatter(context, entry, {
    update: { ...given, properties },
    body: onDisk === null ? '' : bodyOf(onDisk),
  });
  const update = separateTags(unfolded, entry.properties);
  if (isTask) refuseTaskFields(taskFieldsOf(update));
  refuseLostType(entry, update);
  const { content, attachments, replacement } = planContent(context, entry, { update, onDisk });
  const tags = update.tags === undefined ? null : planTags(entry, mergeTags(context, entry, update), inlineTags(entry, update));
  const items = planItems(context, entry, update);
  const { parts, view, ...sections } = mergeSections(context, entry, update.parts ?? []);
  const sets = [
    ...planProperties(
      context,
      { path: entry.path, type: update.type ?? entry.type, properties: entry.properties },
      checkProperties(context, entry, update),
    ).map((change) => inNotation(entry, change)),
    ...checkFrontmatterValues(context, entry, values).map(([key, value]) => ({ op: 'set' as const, key: [key], value })),
  ];
  const changes: NoteChange[] = [
    ...setOrUnset('type', update.type),
    ...(tags?.changes ?? []),
    ...sets,
    ...items.changes,
    ...setOrUnset('format', update.format),
    ...setOrUnset('encoding', update.encoding),
    ...setOrUnset(ORIGIN, originToWrite(context, update.origin, statedOrigin(entry)) ?? undefined),
    ...content,
    ...(parts.length === 0 ? [] : [{ op: 'patch' as const, parts }]),
  ];
  const dropped = [...sets, ...emptied(given)].flatMap((change) =>
    change.op === 'set'
      ? (describeDropped(entry.path, change.key.at(-1) ?? '', valueAt(entry.properties, change.key), change.value) ?? [])
      : [],
  );
  const warnings = [
    ...left,
    ...(tags?.warnings ?? []),
    ...dropped,
    ...items.warnings,
    ...(replacement?.warnings ?? []),
    ...sections.warnings,
  ];
  const outcome = { warnings, isBlind: replacement?.isBlind === true, view };
  if (changes.length === 0) return { files: attachments, ...outcome };
  refuseLostHeadings(context, entry, changes);
  const touch = touchOf(context, entry);
  // The write must replace exactly the version that was compared.
  const compared = replacement?.etag ?? sections.etag;
  const expect = compared === undefined ? update.expect : { ...update.expect, etag: update.expect?.etag ?? compared };
  const change: FileChange = {
    kind: 'change',
    path: entry.path,
    changes: [...changes, touch],
    ...(expect === undefined ? {} : { expect }),
  };
  return { files: [change, ...attachments], ...outcome };
}

/** Returns the change that counts a write. Tasks always have a `rev`, by which their tools compare; one that a person wrote gets it now. */
export function touchOf(context: OperationContext, entry: NoteEntry): NoteChange {
  return { op: 'touch', at: currentTime(context), ...(isTaskNote(context, entry) ? { from: 0 } : {}) };
}

/** `blocked` is allowed among the properties of a task. */
function taskFieldsOf({ type, format, encoding, properties = {}, add = {}, remove = {} }: Update): readonly string[] {
  const given = Object.entries({ type, format, encoding }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [
    ...given,
    ...Object.keys(properties)
      .filter((name) => name !== 'blocked' && name !== 'aliases')
      .map((name) => `properties.${name}`),
    ...Object.entries({ add, remove }).flatMap(([argument, items]) =>
      Object.keys(items)
        .filter((name) => name !== 'tags' && name !== 'aliases')
        .map((name) => `${argument}.${name}`),
    ),
  ];
}

/** Refuses changes of body parts that remove a heading of a tool's section. Inserted lines leave every heading as it is read. */
function refuseLostHeadings(context: OperationContext, entry: NoteEntry, changes: readonly NoteChange[]): void {
  const patches = changes.filter((change) => change.op === 'patch');
  if (patches.every(({ parts }) => parts.every(({ kind }) => kind === 'insert')) || !hasToolSections(context, entry)) return;
  const before = context.vault.notes.readUnstable(entry.path)?.note.text;
  if (before !== undefined) refuseLostHeading(entry.path, before, applyChanges(entry.path, before, patches).text);
}

/** An empty list of aliases removes the property, and its present items count as dropped. */
function emptied({ properties = {} }: GivenUpdate): readonly NoteChange[] {
  const { aliases } = properties;
  return Array.isArray(aliases) && aliases.length === 0 ? [{ op: 'set', key: ['aliases'], value: [] }] : [];
}

/** Retains the notation of aliases that the note already has. */
function inNotation({ properties }: NoteEntry, change: NoteChange): NoteChange {
  if (change.op !== 'set' || change.key.join('.') !== 'aliases' || !isPropertyList(change.value)) return change;
  return { ...change, value: retainNotation(change.value.map(String), properties['aliases']) };
}

/** Refuses a type in place of a list or map, whose items would be lost (A-04). */
function refuseLostType({ properties: { type: now } }: NoteEntry, { type }: Update): void {
  if (type === undefined || typeof now !== 'object' || now === null) return;
  throw new RouxError(
    'INVALID_PARAMS',
    `type: the note holds ${isPropertyList(now) ? 'a list' : 'a map'} there, which is a property of its own: ${shorten(JSON.stringify(now), 500)}. Change it with properties, add or remove {type: […]}; properties {type: null} removes it, then type can be given.`,
    { field: 'type' },
  );
}

function setOrUnset(key: string, value: PropertyValue | undefined): readonly NoteChange[] {
  return value === undefined ? [] : [{ op: 'set', key: [key], value }];
}

/** Returns the tags in the text of a note after an update, which need not be in its frontmatter. */
function inlineTags(entry: NoteEntry, { content, parts = [] }: Update): ReadonlySet<string> {
  if (parts.length > 0) return new Set();
  if (content !== undefined) return new Set(readBody(content).tagUses.map(({ tag }) => foldKey(tag)));
  const own = new Set(tagsOf(entry.properties['tags']).map(foldKey));
  return new Set(entry.tags.map(foldKey).filter((tag) => !own.has(tag)));
}

interface PlannedTags {
  readonly changes: readonly NoteChange[];
  readonly warnings: readonly string[];
}

/** Plans the tags of the frontmatter. An agent sends back all tags that it was shown, so those in the text are not added again. */
function planTags(entry: NoteEntry, wanted: readonly string[], inline: ReadonlySet<string>): PlannedTags {
  const now = entry.properties['tags'];
  const before = tagsOf(now);
  const had = new Set(before.map(foldKey));
  const tags = wanted.filter((tag) => had.has(foldKey(tag)) || !inline.has(foldKey(tag)));
  const mine = new Set(wanted.map(foldKey));
  const stays = entry.tags.filter((tag) => inline.has(foldKey(tag)) && !mine.has(foldKey(tag)));
  const dropped = describeDropped(
    entry.path,
    'tags',
    before.filter((tag) => !mine.has(foldKey(tag))),
    [],
  );
  const warnings = [
    ...(dropped === null ? [] : [dropped]),
    ...(stays.length === 0 ? [] : [`tags of ${entry.path}: ${stays.map((tag) => `#${tag}`).join(', ')} stays, as it is in the text.`]),
  ];
  if (sameValue(tags, before)) return { changes: [], warnings };
  if (tags.length === 0) return { changes: [{ op: 'unset', key: ['tags'] }], warnings };
  return { changes: [{ op: 'set', key: ['tags'], value: retainNotation(tags, now) }], warnings };
}

interface PlannedContent {
  readonly content: readonly NoteChange[];
  readonly attachments: readonly FileChange[];
  readonly replacement: (Replacement & { readonly etag: string }) | null;
}

function planContent(
  context: OperationContext,
  entry: NoteEntry,
  { update, onDisk: now }: { readonly update: Update; readonly onDisk: NoteOnDisk | null },
): PlannedContent {
  const { content, format, encoding, expect } = update;
  const before = entry.properties['encoding'];
  if (content === undefined) {
    if (encoding !== undefined && encoding !== before) {
      throw new RouxError('INVALID_PARAMS', 'encoding: it says how content is written, so it can only change together with content.', {
        field: 'encoding',
      });
    }
    return { content: [], attachments: [], replacement: null };
  }
  if (before !== undefined && encoding === undefined) {
    throw new RouxError(
      'INVALID_ENCODING',
      `${entry.path} holds typed content (encoding ${JSON.stringify(before)}); say the encoding of the new content.`,
      {
        encoding: before,
      },
    );
  }
  const typed = encoding ?? (format === undefined && entry.properties['format'] === undefined ? undefined : 'utf-8');
  const kind = format ?? (typeof entry.properties['format'] === 'string' ? entry.properties['format'] : 'markdown');
  // New bytes go to a new file and the old one to the trash, so the note always shows either one whole.
  const stored =
    typed === undefined
      ? { body: content, attachment: null }
      : storeContent(
          context.vault,
          { content, encoding: typed, format: kind },
          { path: entry.path, title: update.title ?? entry.title, suffix: createFileSuffix(context.vault.ports.newId()) },
        );
  const old = before === 'base64' ? attachmentOf(context, entry) : null;
  const replacement =
    now === null
      ? null
      : { ...replaceBody(context, entry, now, { content: stored.body, isExpected: expect?.etag !== undefined }), etag: now.hash };
  return {
    content: [{ op: 'body', text: replacement?.body ?? stored.body }],
    attachments: [
      ...(stored.attachment === null ? [] : [stored.attachment]),
      ...(old === null ? [] : [{ kind: 'remove' as const, path: old, to: 'trash' as const }]),
    ],
    replacement,
  };
}

/** Returns the attachment with the note's bytes if roux created it and no other note embeds it. */
function attachmentOf(context: OperationContext, entry: NoteEntry): string | null {
  const { vault } = context;
  const path = findStoredFile(vault, entry.path);
  if (path === null || !isStoredFor(vault, path, entry.path)) return null;
  return vault.graph.backlinks(path).every(({ from }) => from === entry.path) ? path : null;
}
