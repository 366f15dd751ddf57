import * as z from 'zod';
import { DEPENDS_ON, isEdgeKey } from '../../../graph/tasks/task-note.ts';
import { sameValue } from '../../../note/frontmatter/property-value.ts';
import { valueAt } from '../../../note/frontmatter/property-edit.ts';
import type { PropertyValue } from '../../../note/note.ts';
import { toTag } from '../../../note/markdown/tag.ts';
import { ORIGIN } from '../../call/origin.ts';
import { hashText, hashValue, IMPORTED_KEY, readImportState, toImportValue } from '../../imports/import-state.ts';
import type { ImportState } from '../../imports/import-state.ts';
import type { DraftTask } from '../draft/draft-task.ts';
import type { Draft } from '../draft/draft.ts';
import { connectDrafts, moveBelow } from '../draft/link-drafts.ts';
import { readTextBlock, writeTextBlock } from '../draft/text-block.ts';

const line = z.string().max(2_000);

/** A task as another program has it. */
export const givenTask = z.strictObject({
  id: z.string().min(1).max(2_000),
  title: z.string().min(1).max(1_000),
  /** Markdown of somebody else's. */
  text: z.string(),
  isOpen: z.boolean(),
  closeReason: line,
  /** Why it cannot be worked on; null if nothing is said. */
  blocked: line.nullable(),
  labels: z.array(line),
  parent: line.nullable(),
  /** Other tasks by the type of the link at the source. */
  edges: z.array(z.strictObject({ type: line, id: line })),
  properties: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  links: z.array(line),
  createdAt: z.string().nullable(),
});
export type GivenTask = z.output<typeof givenTask>;

interface Applying {
  readonly draft: Draft;
  readonly from: string;
  readonly isForced: boolean;
  /** Returns the task of an issue of the source; null if it has none. */
  readonly findTask: (id: string) => DraftTask | null;
  /** Returns the text of the note; '' for a new one. */
  readonly readNote: () => string;
}

interface AppliedTask {
  readonly fields: readonly string[];
  readonly conflicts: readonly string[];
  /** What it is linked to at the source, and cannot be linked to here. */
  readonly missing: readonly string[];
}

/** The section of a note with the text of the source. */
const TEXT_SECTION = 'Imported text';
/** Names of links that differ here; of the others, dashes become underscores. */
const EDGES: Readonly<Record<string, string>> = { blocks: DEPENDS_ON, related: 'relates_to' };

/** Reads what a task and its source had in common at the last import; null if it is not from there. */
export function readTaskState({ values }: Pick<DraftTask, 'values'>, from: string): ImportState | null {
  const state = readImportState(values);
  return state?.from === from ? state : null;
}

/**
 * Brings a task up to date with its source, part by part: what only the source changed is taken over, what was changed here stays, and of
 * what both changed, the task's stays unless `isForced`.
 */
export function applyTask(
  applying: Applying,
  { task, given, state }: { readonly task: DraftTask; readonly given: GivenTask; readonly state: ImportState | null },
): AppliedTask {
  const { draft, from, isForced } = applying;
  const [fields, conflicts]: [string[], string[]] = [[], []];
  const isNew = task.task === null;
  const next: Record<string, string> = {};
  const compare = (name: string, ours: PropertyValue | undefined, theirs: PropertyValue | undefined, take: () => boolean): void => {
    const [was, mine, wanted] = [state?.properties[name] ?? '', hashValue(ours), hashValue(theirs)];
    next[name] = was;
    if (wanted === mine) next[name] = wanted;
    else if (wanted !== was) {
      if (!isNew && mine !== was && !isForced) conflicts.push(name);
      else if (take()) {
        fields.push(name);
        next[name] = wanted;
      }
    }
  };
  compare('title', task.summary, given.title, () => task.set(['summary'], given.title));
  compare('state', task.isResolved ? 'closed' : 'open', given.isOpen ? 'open' : 'closed', () => setState(draft, task, given));
  compare('blocked', task.blocked ?? undefined, given.blocked ?? undefined, () =>
    given.blocked === null ? task.change({ op: 'unset', key: ['blocked'] }) : task.set(['blocked'], given.blocked),
  );
  const names = new Set([
    ...Object.keys(given.properties),
    ...Object.keys(state?.properties ?? {}).flatMap((key) => (key.startsWith('p.') ? key.slice(2) : [])),
  ]);
  for (const name of names) {
    const ours = valueAt(task.values, ['properties', name]) ?? valueAt(task.values, [name]);
    compare(`p.${name}`, ours, given.properties[name], () => {
      task.setProperty(name, given.properties[name] ?? null);
      return true;
    });
  }
  const note = applying.readNote();
  const present = readTextBlock(note, TEXT_SECTION);
  // No section is a change of yours only where the last import wrote one.
  const isRemoved = given.text !== '' && state?.properties['text'] !== undefined;
  compare('text', present ?? (isRemoved ? '' : undefined), given.text === '' && present === null ? undefined : given.text, () => {
    const changes = writeTextBlock(note, given.text, TEXT_SECTION);
    if (changes !== null) task.adopt(changes);
    else
      draft.warn(`${task.path} does not take the text of ${given.id}: it has two sections for it, or a code block that is never closed.`);
    return changes !== null;
  });
  if (applyTags(task, state, given, next)) fields.push('labels');
  for (const link of given.links) task.change({ op: 'append', key: ['context_links'], value: link, unique: true });
  const missing = applyLinks(applying, { task, given, state }, { next, fields });
  if (task.values[ORIGIN] === undefined && isNew) task.set([ORIGIN], 'import');
  const properties = Object.fromEntries(Object.entries(next).filter(([, hash]) => hash !== ''));
  const value = toImportValue({ from, id: given.id, source: hashText(JSON.stringify(given)), body: next['text'] ?? '', properties });
  if (!sameValue(task.values[IMPORTED_KEY], value)) task.set([IMPORTED_KEY], value);
  return { fields, conflicts, missing };
}

function setState(draft: Draft, task: DraftTask, { isOpen, closeReason }: GivenTask): boolean {
  task.set(['resolved'], !isOpen);
  task.act(isOpen ? 'reopened' : 'resolved');
  if (!isOpen) draft.addEvidence(task, { type: 'beads', ref: closeReason === '' ? 'closed in beads' : `closed in beads: ${closeReason}` });
  return true;
}

/** Adds the tags of new labels and removes those of removed ones. Tags of the user stay. */
function applyTags(task: DraftTask, state: ImportState | null, { labels }: GivenTask, next: Record<string, string>): boolean {
  const after = [...new Set(labels.flatMap((label) => toTag(label, 'label') ?? []))];
  const before = listOf(state?.properties['tags']);
  const present = task.values['tags'];
  for (const value of after.filter((tag) => !before.includes(tag))) task.change({ op: 'append', key: ['tags'], value, unique: true });
  for (const value of before.filter((tag) => !after.includes(tag))) task.change({ op: 'take', key: ['tags'], value });
  next['tags'] = toList(after);
  return task.values['tags'] !== present && task.task !== null;
}

/** Puts the task below its parent, and links it. Returns what that is not possible with. */
function applyLinks(
  { draft, findTask }: Applying,
  { task, given, state }: { readonly task: DraftTask; readonly given: GivenTask; readonly state: ImportState | null },
  { next, fields }: { readonly next: Record<string, string>; readonly fields: string[] },
): readonly string[] {
  const missing: string[] = [];
  const [parent = null] = listOf(state?.properties['parent']);
  next['parent'] = state?.properties['parent'] ?? '';
  if (given.parent !== null && given.parent !== parent) {
    const above = findTask(given.parent);
    if (above === null || above.project !== task.project || !moveBelow(draft, task, above.path)) missing.push(given.parent);
    else {
      next['parent'] = toList([given.parent]);
      if (task.task !== null) fields.push('parent');
    }
  }
  const linked = new Set(listOf(state?.properties['links']));
  const wanted = new Set<string>();
  let isChanged = false;
  for (const { type, id } of given.edges) {
    const key = `${type} ${id}`;
    wanted.add(key);
    if (linked.has(key)) continue;
    const target = findTask(id);
    if (target !== null && link(draft, task, target, type)) {
      linked.add(key);
      isChanged = true;
    } else missing.push(id);
  }
  for (const key of [...linked].filter((each) => !wanted.has(each))) {
    const [type, id] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)];
    const target = findTask(id);
    if (target !== null && task.removeEdge(edgeOf(type), target.path)) isChanged = true;
    linked.delete(key);
  }
  if (isChanged && task.task !== null) fields.push('links');
  next['links'] = toList([...linked].sort());
  return missing;
}

function link(draft: Draft, task: DraftTask, target: DraftTask, type: string): boolean {
  const edge = edgeOf(type);
  if (edge === DEPENDS_ON) return connectDrafts(draft, task, target);
  return target !== task && (task.hasEdge(edge, target.path) || draft.connect(task, edge, target.path));
}

/** Returns the key for links of a type; another program's word is no key that means something here. */
function edgeOf(type: string): string {
  const known = Object.hasOwn(EDGES, type) ? EDGES[type] : undefined;
  const key = type.replace(/[^A-Za-z0-9]+/g, '_').toLowerCase();
  return known ?? (/^[a-z][a-z0-9_]{0,40}$/.test(key) && isEdgeKey(key) && key !== DEPENDS_ON ? key : 'relates_to');
}

/** Lists stand among the hashes as one word. */
function toList(values: readonly string[]): string {
  return values.map((value) => encodeURIComponent(value)).join(',');
}

function listOf(word: string | undefined): readonly string[] {
  try {
    return (word ?? '').split(',').flatMap((value) => (value === '' ? [] : [decodeURIComponent(value)]));
  } catch {
    // Somebody wrote it by hand.
    return [];
  }
}
