import type { NoteChange } from '../../../note/change.ts';
import { sameValue } from '../../../note/frontmatter/property-value.ts';
import type { NotePath } from '../../../note/path.ts';
import type { PropertyValue } from '../../../note/note.ts';
import type { GraphView } from '../../../graph/view.ts';
import { isLower } from '../../../note/origin.ts';
import type { Origin } from '../../../note/origin.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { ORIGIN, statedOrigin } from '../../call/origin.ts';
import type { DraftEntity } from './draft-entity.ts';
import { entityFile } from '../stored/entity-note.ts';
import type { NewEntity } from '../stored/entity-note.ts';
import { formatFact } from '../stored/fact-line.ts';
import { statementTimes } from '../stored/shapes.ts';
import type { StoredEntity, StoredFact } from '../stored/shapes.ts';

/** Formats the list entry of a fact for the note of the entity `source`. Throws `INVALID_ARGUMENT` if the fact does not fit on a line. */
export function formatStoredFact(fact: StoredFact, source: string): string {
  const derived = `${source} ${fact.name} ${fact.shown ?? fact.linkpath}`;
  const isPlain = String(fact.heldAt) === String(statementTimes(fact));
  return formatFact({ ...fact, id: fact.uuid, fact: fact.fact === derived ? null : fact.fact, heldAt: isPlain ? null : fact.heldAt });
}

/** Returns the note of a new entity. */
export function planEntityCreation(entity: DraftEntity, creation: Pick<NewEntity, 'at' | 'agent'>): FileChange {
  return entityFile({ ...entity, ...creation, factLines: entity.added.map((fact) => formatStoredFact(fact, entity.name)) });
}

/** Returns the change of an existing entity's note; empty if nothing changes. `origin`: who its texts come from, if it is to be written. */
export function planEntityChanges(
  entity: DraftEntity,
  stored: StoredEntity,
  at: string,
  origin: Origin | null = null,
): readonly FileChange[] {
  const changes: NoteChange[] = [];
  if (origin !== null) changes.push({ op: 'set', key: [ORIGIN], value: origin });
  if (entity.summary !== stored.summary && entity.summary !== null) changes.push({ op: 'set', key: ['summary'], value: entity.summary });
  changes.push(...attributeChanges(entity, stored));
  for (const fact of entity.changed.values()) {
    const by = formatStoredFact(fact, entity.name);
    if (fact.line !== null && fact.line !== by) changes.push({ op: 'replace-line', section: 'Relations', line: fact.line, by });
  }
  for (const fact of entity.added) changes.push({ op: 'add-line', section: 'Relations', line: formatStoredFact(fact, entity.name) });
  if (changes.length === 0) return [];
  changes.push(...stampFacts(entity, stored));
  return [{ kind: 'change', path: stored.path satisfies NotePath, changes: [...changes, { op: 'touch', at }] }];
}

/** The episode from which something was extracted. */
export interface ExtractedEpisode {
  readonly groupId: string;
  readonly path: string;
  readonly referenceTime: string;
  /** Who its text comes from, if its note does not exist yet and that is less than an agent. */
  readonly origin?: Origin | undefined;
}

/** Returns who the text of an episode comes from; null if that is an agent or a person. */
export function originOfEpisode(graph: Pick<GraphView, 'get'>, { path, origin }: ExtractedEpisode): Origin | null {
  const entry = graph.get(path);
  const stated = origin ?? (entry === null ? 'person' : statedOrigin(entry));
  return isLower(stated, 'agent') ? stated : null;
}

/** Returns the origin if the note of an entity tells none that is less trusted; else null. */
export function originToLower(graph: Pick<GraphView, 'get'>, { path }: StoredEntity, origin: Origin | null): Origin | null {
  const entry = graph.get(path);
  return origin !== null && (entry === null || isLower(origin, statedOrigin(entry))) ? origin : null;
}

/** Lines that are stamped in one write; each is searched for in the note. */
const MAX_STAMPED = 50;

/**
 * Adds ids and times to facts that a person wrote. Without them a fact counts from the modification time of its file, which this write
 * changes.
 */
function stampFacts({ name, changed }: DraftEntity, { facts }: StoredEntity): readonly NoteChange[] {
  const counts = new Map<string, number>();
  for (const { line } of facts) if (line !== null) counts.set(line, (counts.get(line) ?? 0) + 1);
  const bare = facts.filter(({ id, line, uuid }) => id === null && line !== null && counts.get(line) === 1 && !changed.has(uuid));
  return bare.slice(0, MAX_STAMPED).map((fact): NoteChange => {
    return { op: 'replace-line', section: 'Relations', line: fact.line ?? '', by: formatStoredFact(fact, name) };
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
