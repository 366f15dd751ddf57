import type { NoteChange } from '../../../note/change.ts';
import { sameValue } from '../../../note/frontmatter/property-value.ts';
import type { NotePath } from '../../../note/path.ts';
import type { PropertyValue } from '../../../note/note.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { entityFile } from '../stored/entity-note.ts';
import { formatFact } from '../stored/fact-line.ts';
import { heldWhen } from '../stored/held-when.ts';
import type { StoredEntity, StoredFact } from '../stored/shapes.ts';

/** An entity as it is to be: as its note holds it, with what changes. */
export interface DraftEntity {
  /** Null: it is new. */
  readonly stored: StoredEntity | null;
  readonly path: string;
  readonly id: string;
  readonly uuid: string;
  readonly groupId: string;
  readonly name: string;
  readonly key: string;
  readonly summary: string | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly createdAt: string;
  /** A wikilink to the episode that it is made for. */
  readonly episode: string | null;
  /** Facts of its note that change, by their uuid. */
  readonly changed: ReadonlyMap<string, StoredFact>;
  readonly added: readonly StoredFact[];
}

/** The list entry of a fact in the note of an entity of this name. Throws `INVALID_ARGUMENT` for what a line cannot hold. */
export function formatStored(fact: StoredFact, source: string): string {
  const said = `${source} ${fact.name} ${fact.shown ?? fact.linkpath}`;
  const isPlain = String(fact.heldAt) === String(heldWhen(fact));
  return formatFact({ ...fact, id: fact.uuid, fact: fact.fact === said ? null : fact.fact, heldAt: isPlain ? null : fact.heldAt });
}

/** The note of a new entity. */
export function newNoteOf(entity: DraftEntity, making: { readonly at: string; readonly agent: string }): FileChange {
  return entityFile({ ...entity, ...making, factLines: entity.added.map((fact) => formatStored(fact, entity.name)) });
}

/** What changes in the note of an entity that is there; nothing where all of it stands already. */
export function changesOf(entity: DraftEntity, stored: StoredEntity, at: string): readonly FileChange[] {
  const changes: NoteChange[] = [];
  if (entity.summary !== stored.summary && entity.summary !== null) changes.push({ op: 'set', key: ['summary'], value: entity.summary });
  changes.push(...attributeChanges(entity, stored));
  for (const fact of entity.changed.values()) {
    const by = formatStored(fact, entity.name);
    if (fact.line !== null && fact.line !== by) changes.push({ op: 'replace-line', section: 'Relations', line: fact.line, by });
  }
  for (const fact of entity.added) changes.push({ op: 'add-line', section: 'Relations', line: formatStored(fact, entity.name) });
  if (changes.length === 0) return [];
  changes.push(...stamps(entity, stored));
  return [{ kind: 'change', path: stored.path satisfies NotePath, changes: [...changes, { op: 'touch', at }] }];
}

/** So many lines get their stamps with one write: each is looked for by itself. */
const MAX_STAMPED = 50;

/**
 * Gives the facts that a person wrote their id and the time at which they were seen: a line without them is known since its file was
 * saved last, and this write saves it.
 */
function stamps({ name, changed }: DraftEntity, { facts }: StoredEntity): readonly NoteChange[] {
  const counts = new Map<string, number>();
  for (const { line } of facts) if (line !== null) counts.set(line, (counts.get(line) ?? 0) + 1);
  const bare = facts.filter(({ id, line, uuid }) => id === null && line !== null && counts.get(line) === 1 && !changed.has(uuid));
  return bare.slice(0, MAX_STAMPED).map((fact): NoteChange => {
    return { op: 'replace-line', section: 'Relations', line: fact.line ?? '', by: formatStored(fact, name) };
  });
}

function attributeChanges({ attributes }: DraftEntity, stored: StoredEntity): readonly NoteChange[] {
  const before = stored.attributes ?? {};
  const after = attributes ?? {};
  const set = Object.entries(after).filter(
    ([key, value]) => !Object.hasOwn(before, key) || !sameValue(value as PropertyValue, before[key] as PropertyValue),
  );
  return [
    ...Object.keys(before).flatMap((key): NoteChange[] => (Object.hasOwn(after, key) ? [] : [{ op: 'unset', key: ['properties', key] }])),
    ...set.map(([key, value]): NoteChange => ({ op: 'set', key: ['properties', key], value: value as PropertyValue })),
  ];
}
