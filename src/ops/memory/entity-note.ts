import { encodeObservation } from '../../note/body/observation.ts';
import type { NoteChange } from '../../note/change.ts';
import { composeNote } from '../../note/compose.ts';
import { baseName, slugify } from '../../note/path.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { entityPath } from '../../note/made-name.ts';
import type { PathRules } from '../../note/made-name.ts';
import { PLACEHOLDER_TYPE } from './memory-index.ts';
import type { StoredEntity } from './memory-index.ts';
import type { Entity } from './shapes.ts';

/** What an entity's note is named and filed by. */
export interface NamedEntity {
  readonly name: string;
  readonly entityType: string;
}

/** What decides the path of an entity's note. */
export interface EntityPlaces extends Omit<PathRules, 'folder'> {
  /** The memory root, vault-relative. */
  readonly root: string;
}

/** The path of a new entity's note, `<root>/<kind>/<file>.md`. */
export function pathOfEntity({ name, entityType }: NamedEntity, { root, ...rules }: EntityPlaces): string {
  return entityPath(name, { ...rules, folder: `${root}/${slugify(entityType)}` });
}

/** Who makes a note, when, and under which id. */
export interface Making {
  readonly id: string;
  readonly at: string;
  readonly agent: string;
}

function section(name: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n## ${name}\n\n${lines.map((line) => `- ${line}\n`).join('')}`;
}

function properties(
  path: string,
  name: string,
  { id, at, agent }: Making,
  kind: { type: string; kind?: string },
): Record<string, string | number> {
  return {
    id,
    type: kind.type,
    ...(baseName(path) === name ? {} : { title: name }),
    ...(kind.kind === undefined ? {} : { kind: kind.kind }),
    rev: 1,
    created_at: at,
    updated_at: at,
    created_by: agent,
  };
}

/** The new note of an entity (docs/format.md, Body sections). */
export function entityFile(path: string, entity: Entity, making: Making & { readonly relationLines: readonly string[] }): FileChange {
  return {
    kind: 'create',
    path,
    text: composeNote({
      properties: properties(path, entity.name, making, { type: 'entity', kind: entity.entityType }),
      body: section('Observations', entity.observations.map(encodeObservation)) + section('Relations', making.relationLines),
    }),
  };
}

/** A note that holds relations of a name which is no entity yet. */
export function placeholderFile(path: string, name: string, relationLines: readonly string[], making: Making): FileChange {
  return {
    kind: 'create',
    path,
    text: composeNote({
      properties: properties(path, name, making, { type: PLACEHOLDER_TYPE }),
      body: section('Relations', relationLines),
    }),
  };
}

/** Makes a placeholder the entity that its name was waiting for; it moves into the folder of its kind. */
export function promotePlaceholder(
  placeholder: StoredEntity,
  { to, entity, relationLines, at }: { to: string; entity: Entity; relationLines: readonly string[]; at: string },
): FileChange {
  const changes: NoteChange[] = [
    { op: 'set', key: ['type'], value: 'entity' },
    { op: 'set', key: ['kind'], value: entity.entityType },
    // The order of entities is that of their creation, and this is when it becomes one.
    { op: 'set', key: ['created_at'], value: at },
    ...entity.observations.map((text): NoteChange => ({ op: 'add-line', section: 'Observations', line: encodeObservation(text) })),
    ...relationLines.map((line): NoteChange => ({ op: 'add-line', section: 'Relations', line, unique: true })),
    { op: 'touch', at },
  ];
  return placeholder.path === to
    ? { kind: 'change', path: placeholder.path, changes }
    : { kind: 'move', from: placeholder.path, to, changes };
}
