import type { GraphView } from '../../../graph/view.ts';
import { composeNote } from '../../../note/compose.ts';
import { isPropertyList, isPropertyMap, valueKey } from '../../../note/frontmatter/property-value.ts';
import { yamlLimits } from '../../../note/frontmatter/yaml-values.ts';
import type { NoteChange } from '../../../note/change.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import { baseName, folderOf } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { buildWikilink } from '../../links.ts';
import { firstCharacters } from '../../../note/text.ts';
import { EVIDENCE_NOTES, EVIDENCE_SECTION, EVIDENCE_TYPES, evidenceNotesOf, writeEntry } from '../view/evidence-notes.ts';
import type { Author, DraftTask } from './draft-task.ts';
import type { FileNames } from './file-names.ts';

/** Shares of the frontmatter limits: the maximum for evidence, and what remains of it after spilling. */
const MAX_EVIDENCE_SHARE = 0.5;
const REMAINING_SHARE = 0.25;
/** The share of the free space that evidence may use when other properties take much. */
const USABLE_SHARE = 0.8;
/** An evidence note of this size gets no more entries, and a batch of more entries than this goes to new notes. */
const MAX_NOTE_BYTES = 256 * 1024;
const MAX_APPENDED_ENTRIES = 200;

/**
 * Moves the findOldest evidence of a task to a note beside it when it exceeds its share of the frontmatter. The task links to the note. Returns
 * the changes of these files.
 */
export function spillEvidence(
  draft: DraftTask,
  { graph, author, names }: { graph: GraphView; author: Author; names: FileNames },
): readonly FileChange[] {
  const moved = findOldest(draft.values);
  if (moved.length === 0) return [];
  draft.takeOut('evidence', moved);
  const last = evidenceNotesOf(graph, draft.path).at(-1);
  if (last !== undefined && moved.length <= MAX_APPENDED_ENTRIES && (graph.get(last)?.stamp.size ?? MAX_NOTE_BYTES) < MAX_NOTE_BYTES) {
    return [{ kind: 'change', path: last, changes: [...additions(moved, typesOf(moved)), { op: 'touch', at: author.at }] }];
  }
  return splitIntoNotes(moved).map((part): FileChange => {
    const path = names.choose(folderOf(draft.path), `${firstCharacters(baseName(draft.path), 50)} evidence`);
    draft.change({ op: 'append', key: [EVIDENCE_NOTES], value: buildWikilink(graph, { from: draft.path, target: path }), unique: true });
    return { kind: 'create', path, text: compose({ graph, author, from: path, task: draft.path }, part, typesOf(part)) };
  });
}

function typesOf(moved: readonly PropertyValue[]): readonly string[] {
  return [...new Set(moved.flatMap((one) => (isPropertyMap(one) && typeof one['type'] === 'string' ? [one['type']] : [])))];
}

/** Splits evidence into parts that each fit into a note. */
function splitIntoNotes(moved: readonly PropertyValue[]): readonly (readonly PropertyValue[])[] {
  const parts: PropertyValue[][] = [];
  let left = 0;
  for (const one of moved) {
    const size = writeEntry(one).length;
    if (size > left || parts.length === 0) [left] = [MAX_NOTE_BYTES / 2, parts.push([])];
    left -= size;
    parts.at(-1)?.push(one);
  }
  return parts;
}

function additions(moved: readonly PropertyValue[], types: readonly string[]): readonly NoteChange[] {
  return [
    ...types.map((value): NoteChange => ({ op: 'append', key: [EVIDENCE_TYPES], value, unique: true })),
    ...moved.map((one): NoteChange => ({ op: 'add-line', section: EVIDENCE_SECTION, line: writeEntry(one) })),
  ];
}

function compose(
  { graph, author, from, task }: { graph: GraphView; author: Author; from: NotePath; task: NotePath },
  moved: readonly PropertyValue[],
  types: readonly string[],
): string {
  const link = buildWikilink(graph, { from, target: task });
  const stamp = { rev: 1, created_at: author.at, updated_at: author.at, created_by: author.agent };
  const properties = { type: 'task-evidence', task: link, ...(types.length === 0 ? {} : { [EVIDENCE_TYPES]: types }), ...stamp };
  return composeNote({ properties, body: `## ${EVIDENCE_SECTION}\n\n${moved.map((one) => `- ${writeEntry(one)}\n`).join('')}` });
}

/** Returns the findOldest evidence, which has to move; empty if all fits. */
function findOldest(values: Properties): readonly PropertyValue[] {
  const evidence = values['evidence'];
  if (!isPropertyList(evidence) || evidence.length === 0) return [];
  const sizes = evidence.map(sizeOf);
  const all = sum(sizes);
  const { evidence: _, ...others } = values;
  const taken = sizeOf(others);
  const room = { characters: USABLE_SHARE * (yamlLimits.length - taken.characters), keys: USABLE_SHARE * (yamlLimits.keys - taken.keys) };
  const [max, remaining] = [MAX_EVIDENCE_SHARE, REMAINING_SHARE].map((part) =>
    minSize(share(part), scaled(room, part / MAX_EVIDENCE_SHARE)),
  ) as [Size, Size];
  if (isWithin(all, max)) return [];
  let [from, size] = [evidence.length, { characters: 0, keys: 0 }];
  for (; from > 0; from -= 1) {
    size = sum([size, sizes[from - 1] as Size]);
    if (!isWithin(size, remaining)) break;
  }
  // Equal entries are moved together, because they cannot be distinguished when removed.
  const moving = new Set(evidence.slice(0, from).map(valueKey));
  return evidence.filter((one) => moving.has(valueKey(one)));
}

/** The size of a value in frontmatter: approximate characters, and keys. */
interface Size {
  readonly characters: number;
  readonly keys: number;
}

/** Indentation, line end and list mark of an entry. */
const ENTRY_OVERHEAD_CHARACTERS = 24;

function sizeOf(value: PropertyValue): Size {
  return { characters: JSON.stringify(value).length + ENTRY_OVERHEAD_CHARACTERS, keys: keysIn(value) };
}

function keysIn(value: PropertyValue): number {
  if (isPropertyList(value)) return value.reduce<number>((count, one) => count + keysIn(one), 0);
  if (!isPropertyMap(value)) return 0;
  return Object.values(value).reduce<number>((count, one) => count + 1 + keysIn(one), 0);
}

function sum(sizes: readonly Size[]): Size {
  let [characters, keys] = [0, 0];
  for (const size of sizes) [characters, keys] = [characters + size.characters, keys + size.keys];
  return { characters, keys };
}

function share(part: number): Size {
  return scaled({ characters: yamlLimits.length, keys: yamlLimits.keys }, part);
}

function scaled({ characters, keys }: Size, factor: number): Size {
  return { characters: characters * factor, keys: keys * factor };
}

function minSize(a: Size, b: Size): Size {
  return { characters: Math.min(a.characters, b.characters), keys: Math.min(a.keys, b.keys) };
}

function isWithin(size: Size, max: Size): boolean {
  return size.characters <= max.characters && size.keys <= max.keys;
}
