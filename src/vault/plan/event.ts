import type { NoteChange } from '../../note/change.ts';
import { sameValue } from '../../note/frontmatter/property-value.ts';
import { bodyStartOf, readFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { STAMP_KEYS } from '../../note/frontmatter/reserved-keys.ts';
import type { Scan } from '../../note/markdown/scan.ts';
import type { PropertyValue } from '../../note/note.ts';
import { folderOf, normalizeId } from '../../note/path.ts';
import { hashOf } from '../../store/folder/hash.ts';
import type { EventDraft, FieldChange, HistoryAction } from '../../store/records/history-event.ts';
import type { PlannedEvent } from './plan.ts';

/** One changed file before and after; null on the side where it does not exist. Texts are null for attachments too. */
export interface TwoSides {
  readonly pathBefore: string | null;
  readonly pathAfter: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** The elements in the body after it, where the change needed them. */
  readonly body?: Scan | null;
  /** For a removed file, the notes that link to it. */
  readonly linkedFrom?: readonly string[];
}

/** History field of a removal: the notes that linked to the file, whose links meant it. */
export const LINKED_FROM = 'linked_from';

/** Longest body that is recorded as text. */
const MAX_BODY_BYTES = 4 * 1024;

/**
 * Returns the events of one file: those that the plan names for it, else one derived from the change. `path`: the path by which the plan
 * names the file.
 */
export function deriveEvents(
  sides: TwoSides,
  source: { readonly changes: readonly NoteChange[] | null; readonly named: readonly PlannedEvent[]; readonly path: string },
): readonly EventDraft[] {
  const derived = deriveEvent(sides, source.changes);
  if (source.named.length === 0) return [derived];
  return source.named.map(({ node, action, changes }) => ({
    node: node ?? derived.node,
    path: source.path,
    action,
    changes: changes ?? derived.changes,
  }));
}

/** Derives the event of a change, property by property. The body is recorded as hash and size, with its text if short. */
function deriveEvent(sides: TwoSides, changes: readonly NoteChange[] | null): EventDraft {
  const path = sides.pathAfter ?? sides.pathBefore ?? '';
  const before = sides.before === null ? null : readSide(sides.before);
  const after = sides.after === null ? null : readSide(sides.after, before);
  const fields = fieldChanges(before, after, changes);
  if (sides.pathBefore !== null && sides.pathAfter !== null && sides.pathBefore !== sides.pathAfter) {
    fields.unshift({ field: 'path', before: sides.pathBefore, after: sides.pathAfter });
  }
  if (sides.linkedFrom !== undefined && sides.linkedFrom.length > 0)
    fields.push({ field: LINKED_FROM, before: sides.linkedFrom, after: null });
  return { node: idOf(after) ?? idOf(before) ?? normalizeId(path), path, action: actionOf(sides, before, after), changes: fields };
}

interface Side {
  readonly yaml: string;
  readonly properties: { readonly [key: string]: PropertyValue };
  readonly body: string;
}

/** Reuses the values of the other side if the YAML is the same, since most changes of many notes at once are in bodies. */
function readSide(text: string, other: Side | null = null): Side {
  const frontmatter = readFrontmatter(text);
  const yaml = frontmatter.yaml === null ? '' : text.slice(frontmatter.yaml.start, frontmatter.yaml.end);
  return {
    yaml,
    properties: other?.yaml === yaml ? other.properties : frontmatter.data,
    body: text.slice(bodyStartOf(text, frontmatter.block)),
  };
}

function idOf(side: Side | null): string | null {
  const id = side?.properties['id'];
  return typeof id === 'string' && id !== '' ? id : null;
}

function actionOf(sides: TwoSides, before: Side | null, after: Side | null): HistoryAction {
  if (sides.pathBefore === null) return 'created';
  if (sides.pathAfter === null) return 'deleted';
  if (sides.pathBefore !== sides.pathAfter) return folderOf(sides.pathBefore) === folderOf(sides.pathAfter) ? 'renamed' : 'moved';
  const [was, is] = [before?.properties['resolved'] === true, after?.properties['resolved'] === true];
  if (was === is) return 'updated';
  return is ? 'resolved' : 'reopened';
}

function fieldChanges(before: Side | null, after: Side | null, changes: readonly NoteChange[] | null): FieldChange[] {
  const fields: FieldChange[] = [];
  const isSame = before?.properties === after?.properties;
  const keys = new Set(isSame ? [] : [...Object.keys(before?.properties ?? {}), ...Object.keys(after?.properties ?? {})]);
  for (const key of keys) {
    // Every write changes these; recording that is of no use.
    if (STAMP_KEYS.includes(key)) continue;
    const [was, is] = [before?.properties[key], after?.properties[key]];
    if (!sameValue(was, is)) fields.push({ field: key, before: was ?? null, after: is ?? null });
  }
  if (before?.body === after?.body || (before === null && after?.body.trim() === '')) return fields;
  // A rename changes one word each in a thousand notes; their full texts would bloat the history.
  const renamed = renamedFields(changes);
  fields.push(...(renamed ?? [{ field: 'body', before: describeBody(before), after: describeBody(after) }]));
  return fields;
}

/** Returns the links and tags that a rename changed in a body; null if anything else changed. */
function renamedFields(changes: readonly NoteChange[] | null): FieldChange[] | null {
  if (changes === null || changes.length === 0) return null;
  if (!changes.every(({ op }) => op === 'relink' || op === 'retag' || op === 'touch')) return null;
  const links = changes.flatMap((change) => (change.op === 'relink' ? change.links : []));
  const tags = changes.flatMap((change) => (change.op === 'retag' ? change.tags : []));
  return [
    ...(links.length === 0 ? [] : [{ field: 'links', before: links.map(({ link }) => link), after: links.map(({ to }) => to) }]),
    ...(tags.length === 0 ? [] : [{ field: 'inline tags', before: tags.map(({ from }) => from), after: tags.map(({ to }) => to) }]),
  ];
}

function describeBody(side: Side | null): PropertyValue {
  if (side === null) return null;
  const size = Buffer.byteLength(side.body);
  return { hash: hashOf(side.body), size, ...(size < MAX_BODY_BYTES ? { text: side.body } : {}) };
}
