import { encodeObservation } from '../../note/body/observation.ts';
import type { NoteChange } from '../../note/change.ts';
import { composeNote } from '../../note/compose.ts';
import { baseName, slugify } from '../../note/path.ts';
import type { Origin } from '../../note/origin.ts';
import { ORIGIN } from '../call/origin.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { entityPath } from '../../note/made-name.ts';
import type { PathRules } from '../../note/made-name.ts';
import { PLACEHOLDER_TYPE } from './memory-index.ts';
import type { StoredEntity } from './memory-index.ts';
import type { Entity } from './shapes.ts';

/** The properties that determine the path of an entity's note. */
export interface NamedEntity {
  readonly name: string;
  readonly entityType: string;
}

/** The rules for paths of entities' notes. */
export interface EntityPlaces extends Omit<PathRules, 'folder'> {
  /** The memory root, relative to the vault. */
  readonly root: string;
}

/** Returns the path of a new entity's note, `<root>/<kind>/<file>.md`. */
export function pathOfEntity({ name, entityType }: NamedEntity, { root, ...rules }: EntityPlaces): string {
  return entityPath(name, { ...rules, folder: `${root}/${slugify(entityType)}` });
}

/** Id, time and author of a new note. */
export interface NoteOrigin {
  readonly id: string;
  readonly at: string;
  readonly agent: string;
  /** Who the text comes from, if that is less than the agent; else null. */
  readonly origin: Origin | null;
}

function section(name: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n## ${name}\n\n${lines.map((line) => `- ${line}\n`).join('')}`;
}

function properties(
  path: string,
  name: string,
  { id, at, agent, origin }: NoteOrigin,
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
    ...(origin === null ? {} : { [ORIGIN]: origin }),
  };
}

/** Returns the new note of an entity (docs/format.md, Body sections). */
export function entityFile(path: string, entity: Entity, origin: NoteOrigin & { readonly relationLines: readonly string[] }): FileChange {
  return {
    kind: 'create',
    path,
    text: composeNote({
      properties: properties(path, entity.name, origin, { type: 'entity', kind: entity.entityType }),
      body: section('Observations', entity.observations.map(encodeObservation)) + section('Relations', origin.relationLines),
    }),
  };
}

/** Returns a note for a name that has relations but is not an entity yet. */
export function placeholderFile(path: string, name: string, relationLines: readonly string[], origin: NoteOrigin): FileChange {
  return {
    kind: 'create',
    path,
    text: composeNote({
      properties: properties(path, name, origin, { type: PLACEHOLDER_TYPE }),
      body: section('Relations', relationLines),
    }),
  };
}

/** Makes a placeholder an entity and moves it into the folder of its kind. */
export function promotePlaceholder(
  placeholder: StoredEntity,
  {
    to,
    entity,
    relationLines,
    at,
    origin,
  }: { to: string; entity: Entity; relationLines: readonly string[] } & Pick<NoteOrigin, 'at' | 'origin'>,
): FileChange {
  const changes: NoteChange[] = [
    { op: 'set', key: ['type'], value: 'entity' },
    { op: 'set', key: ['kind'], value: entity.entityType },
    // Entities are ordered by creation, and it becomes one now.
    { op: 'set', key: ['created_at'], value: at },
    ...(origin === null ? [] : [{ op: 'set' as const, key: [ORIGIN], value: origin }]),
    ...entity.observations.map((text): NoteChange => ({ op: 'add-line', section: 'Observations', line: encodeObservation(text) })),
    ...relationLines.map((line): NoteChange => ({ op: 'add-line', section: 'Relations', line, unique: true })),
    { op: 'touch', at },
  ];
  return placeholder.path === to
    ? { kind: 'change', path: placeholder.path, changes }
    : { kind: 'move', from: placeholder.path, to, changes };
}
