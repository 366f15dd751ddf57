import { createHash } from 'node:crypto';
import { normalizeName, normalizeRelation } from '../../../extraction/names.ts';
import { readBodySection } from '../../../note/body/section.ts';
import { composeNote } from '../../../note/compose.ts';
import { isPropertyMap } from '../../../note/frontmatter/property-value.ts';
import type { Note, PropertyValue } from '../../../note/note.ts';
import type { Origin } from '../../../note/origin.ts';
import { baseName } from '../../../note/path.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { ORIGIN } from '../../call/origin.ts';
import { completeFact, LazyFacts } from './cached/lazy-facts.ts';
import { parseFact } from './fact-line.ts';
import type { StoredEntity, StoredFact } from './shapes.ts';
import { readTime } from '../../../extraction/times/utc.ts';

/** What the path and the file say about a note. */
export interface Place {
  readonly groupId: string;
  readonly modifiedMs: number;
}

/** Reads an entity from its note. Name, group and time are derived from the file if the note does not state them. */
export function readEntityNote(note: Note, { groupId, modifiedMs }: Place): StoredEntity {
  const { data } = note.frontmatter;
  const text = (key: string): string | null => {
    const value = data[key];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const modified = new Date(modifiedMs).toISOString();
  const name = text('title') ?? note.title;
  const uuid = text('uuid') ?? note.id ?? note.path;
  const { facts, problems } = readFacts(note.text, { entity: uuid, name, modified });
  const attributes = data['properties'];
  const [episode] = /(?<=^\[\[)[^|\]]*/.exec(text('episode') ?? '') ?? [];
  const factUuids = facts.map((fact) => fact.uuid);
  const lines = facts.map(({ line }) => line ?? '');
  return Object.assign(new LazyFacts({ uuids: factUuids, lines: () => lines, name, modified }, facts), {
    kind: 'entity' as const,
    path: note.path,
    uuid,
    groupId: text('group_id') ?? groupId,
    name,
    key: normalizeName(name),
    summary: text('summary'),
    attributes: isPropertyMap(attributes) && Object.keys(attributes).length > 0 ? attributes : null,
    createdAt: readTime(text('created_at') ?? '') ?? modified,
    episode: episode ?? null,
    factUuids,
    singleRelations: [...new Set(facts.flatMap((fact) => (fact.isSingle ? normalizeRelation(fact.name) : [])))],
    linkpaths: [...new Set(facts.map(({ linkpath }) => linkpath))],
    problems,
  });
}

/** Parses the facts of an entity, and lists lines that were facts and cannot be read. `modified` is the system time of facts without one. */
export function readFacts(
  text: string,
  { entity, name, modified }: { readonly entity: string; readonly name: string; readonly modified: string },
): Pick<StoredEntity, 'facts' | 'problems'> {
  const facts: StoredFact[] = [];
  const problems: { line: string; reason: string }[] = [];
  const seen = new Map<string, number>();
  for (const { line } of readBodySection(text, 'Relations')?.entries ?? []) {
    const read = parseFact(line);
    if (read === null) continue;
    if ('problem' in read) {
      problems.push({ line, reason: read.problem });
      continue;
    }
    const { fact } = read;
    const count = seen.get(line) ?? 0;
    seen.set(line, count + 1);
    facts.push(completeFact(fact, { uuid: fact.id ?? derivedId(entity, line, count), line, name, modified }));
  }
  return { facts, problems };
}

/** Derives the id of a fact that a person wrote; it changes with the line. */
function derivedId(entity: string, line: string, count: number): string {
  return `f-${createHash('sha256')
    .update(JSON.stringify([entity, line, count]))
    .digest('hex')
    .slice(0, 26)}`;
}

/** The content of a new entity's note. */
export interface NewEntity {
  readonly path: string;
  /** The id of the note; differs from `uuid` if another note has that id. */
  readonly id: string;
  readonly uuid: string;
  readonly groupId: string;
  readonly name: string;
  readonly summary: string | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  /** Wikilink to the episode for which it is created. */
  readonly episode: string | null;
  readonly at: string;
  readonly agent: string;
  /** Who its texts come from; null if that is the agent. */
  readonly origin: Origin | null;
  readonly factLines: readonly string[];
}

/** Returns the new note of an entity (docs/format.md, Knowledge graph). */
export function entityFile(entity: NewEntity): FileChange {
  const { path, id, uuid, name, at, attributes } = entity;
  return {
    kind: 'create',
    path,
    text: composeNote({
      properties: {
        id,
        ...(id === uuid ? {} : { uuid }),
        type: 'entity',
        ...(baseName(path) === name ? {} : { title: name }),
        group_id: entity.groupId,
        ...(entity.summary === null ? {} : { summary: entity.summary }),
        ...(entity.episode === null ? {} : { episode: entity.episode }),
        ...(attributes === null ? {} : { properties: attributes as PropertyValue }),
        rev: 1,
        created_at: at,
        updated_at: at,
        created_by: entity.agent,
        ...(entity.origin === null ? {} : { [ORIGIN]: entity.origin }),
      },
      body: entity.factLines.length === 0 ? '' : `\n## Relations\n\n${entity.factLines.map((line) => `- ${line}\n`).join('')}`,
    }),
  };
}
