import { isPropertyList, isPropertyMap } from '../../note/frontmatter/property-value.ts';
import { CREATED_KEYS, hasTaskKeys, isReservedTaskKey, UPDATED_KEYS } from '../../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../../note/note.ts';
import { foldKey } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import type { GraphLink, NoteEntry } from '../view.ts';

/** The edge type that determines readiness. */
export const DEPENDS_ON = 'depends_on';

/** Returns whether the links of a key are edges: true for keys without another meaning in a task. */
export function isEdgeKey(key: string): boolean {
  return key === DEPENDS_ON || !isReservedTaskKey(key);
}

/** The properties that a claim consists of. */
export const CLAIM_KEYS = { by: '_claimed_by', at: '_claimed_at', session: '_claimed_session' } as const;

/** A link from a task to another note by a frontmatter property. */
export interface TaskEdge {
  /** The property: `depends_on`, `relates_to`, any other. */
  readonly type: string;
  /** The target note, whether a task or not; null when unresolved. */
  readonly target: NotePath | null;
  /** The link text as written, for naming what is missing. */
  readonly text: string;
  /** Position of the link in the frontmatter: `depends_on` or `depends_on.0`. */
  readonly property: string;
}

/** Who has claimed a task. */
export interface Claim {
  readonly by: string;
  readonly atMs: number;
  /** When the note was written that holds it: the claim is not younger. */
  readonly writtenMs?: number;
  /** The session that holds it; null for a claim that was made without one, such as from the command line. */
  readonly session: string | null;
}

/** The state of one task note, read once per state of the file. */
export interface TaskNote {
  readonly path: NotePath;
  readonly id: string;
  /** The folder below the projects root. */
  readonly project: string;
  /** How well the note qualifies as root of its project, 0 best; null when it does not. */
  readonly rootFit: number | null;
  readonly summary: string;
  readonly isResolved: boolean;
  /** The reason why it is marked as blocked, `''` without a reason; null when it is not marked. */
  readonly blocked: string | null;
  /** The declared parent; null when there is none or the link is unresolved. */
  readonly parent: NotePath | null;
  readonly edges: readonly TaskEdge[];
  /** The frontmatter keys, overridden by the `properties` map. */
  readonly properties: Properties;
  readonly priority: number;
  readonly claim: Claim | null;
  readonly evidenceTypes: readonly string[];
  /** Whether there is more evidence in separate notes. */
  readonly hasOlderEvidence: boolean;
  readonly hasContextLinks: boolean;
  readonly createdAt: string;
  readonly createdMs: number;
  readonly updatedAt: string;
  readonly updatedMs: number;
}

/** Returns the project folder of a path; null when the path is in none. */
export function projectOf(path: string, root: string): string | null {
  const prefix = root === '' ? '' : `${root}/`;
  if (!path.startsWith(prefix)) return null;
  const end = path.indexOf('/', prefix.length);
  return end < 0 ? null : path.slice(prefix.length, end);
}

/**
 * Reads the task in a note below the projects root whose `type` is `task` or `project`, or that has a `resolved` key; hidden ones too
 * . Returns null for other notes.
 */
export function readTask(entry: NoteEntry, links: readonly GraphLink[], root: string): TaskNote | null {
  const project = projectOf(entry.path, root);
  if (project === null) return null;
  const values = entry.properties;
  if (!hasTaskKeys(values)) return null;
  const edges = readEdges(links);
  const modifiedMs = Number(entry.stamp.mtimeNs / 1_000_000n);
  const { claim, properties } = readClaim(readProperties(values, edges), modifiedMs);
  const created = readTime(values, CREATED_KEYS, modifiedMs);
  const updated = readTime(values, UPDATED_KEYS, modifiedMs);
  const parent = links.find((link) => link.property === 'parent' || link.property === 'parent.0');
  return {
    path: entry.path,
    id: entry.id,
    project,
    rootFit: fitAsRoot(entry, project, root),
    summary: typeof values['summary'] === 'string' && values['summary'] !== '' ? values['summary'] : entry.title,
    isResolved: values['resolved'] === true,
    blocked: readBlocked(values),
    parent: parent === undefined ? null : targetOf(parent),
    edges,
    properties,
    priority: readPriority(properties['priority']),
    claim,
    evidenceTypes: readEvidenceTypes(values['evidence']),
    hasOlderEvidence: values['evidence_notes'] !== undefined,
    hasContextLinks: values['context_links'] !== undefined,
    createdAt: created.text,
    createdMs: created.ms,
    updatedAt: updated.text,
    updatedMs: updated.ms,
  };
}

/** A root is directly in the project's folder, and is a project or has the folder's name. */
function fitAsRoot(entry: NoteEntry, project: string, root: string): number | null {
  const name = entry.path.slice(root === '' ? project.length + 1 : root.length + project.length + 2);
  if (name.includes('/')) return null;
  const hasName = foldKey(name) === foldKey(`${project}.md`);
  if (entry.type === 'project') return hasName ? 0 : 1;
  return hasName ? 2 : null;
}

/** Reads `properties.priority` as a number: numeric text counts, anything else is 0. */
export function readPriority(value: PropertyValue | undefined): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

function targetOf(link: GraphLink): NotePath | null {
  return link.target.kind === 'note' ? link.target.path : null;
}

function readEdges(links: readonly GraphLink[]): readonly TaskEdge[] {
  const edges: TaskEdge[] = [];
  for (const link of links) {
    if (link.property === null) continue;
    const dot = link.property.indexOf('.');
    const type = dot < 0 ? link.property : link.property.slice(0, dot);
    // Only a list index may follow the key: links in nested maps belong to people.
    if (dot >= 0 && !/^\d+$/.test(link.property.slice(dot + 1))) continue;
    if (!isEdgeKey(type)) continue;
    edges.push({ type, target: targetOf(link), text: link.linkpath + link.subpath, property: link.property });
  }
  return edges;
}

function readProperties(values: Properties, edges: readonly TaskEdge[]): Properties {
  const map = values['properties'];
  const inner = isPropertyMap(map) ? map : null;
  const own = Object.keys(values).filter((key) => !isReservedTaskKey(key) && !edges.some((edge) => edge.type === key));
  if (own.length === 0) return inner ?? {};
  const all = Object.create(null) as Record<string, PropertyValue>;
  for (const key of own) all[key] = values[key] ?? null;
  return inner === null ? all : Object.assign(all, inner);
}

/** Returns a task as if its note had this claim. */
export function withClaim(note: TaskNote, claim: Claim): TaskNote {
  const shown = { [CLAIM_KEYS.by]: claim.by, [CLAIM_KEYS.at]: new Date(claim.atMs).toISOString() };
  return { ...note, claim, properties: { ...note.properties, ...shown } };
}

/** Splits the claim off the properties. They keep who claimed the task and when, and lose the session, which says nothing to others. */
function readClaim(all: Properties, modifiedMs: number): { claim: Claim | null; properties: Properties } {
  let properties = all;
  const session = all[CLAIM_KEYS.session];
  if (session !== undefined) {
    const { [CLAIM_KEYS.session]: _, ...rest } = all;
    properties = rest;
  }
  const by = properties[CLAIM_KEYS.by];
  if (typeof by !== 'string' || by === '') return { claim: null, properties };
  const at = properties[CLAIM_KEYS.at];
  const atMs = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  const claim = {
    by,
    atMs: Number.isNaN(atMs) ? 0 : atMs,
    writtenMs: modifiedMs,
    session: typeof session === 'string' && session !== '' ? session : null,
  };
  return { claim, properties };
}

/** `blocked: "<reason>"`, or `blocked: true` as people may write it. */
export function readBlocked(values: Properties): string | null {
  const blocked = values['blocked'];
  if (typeof blocked === 'string' && blocked.trim() !== '') return blocked;
  return blocked === true ? '' : null;
}

function readEvidenceTypes(evidence: PropertyValue | undefined): readonly string[] {
  if (!isPropertyList(evidence)) return [];
  const types = new Set<string>();
  for (const one of evidence) {
    const type = isPropertyMap(one) ? one['type'] : undefined;
    if (typeof type === 'string') types.add(type);
  }
  return [...types];
}

/** Returns the first of the keys with a valid time, as written; else the file's modification time. */
function readTime(values: Properties, keys: readonly string[], modifiedMs: number): { text: string; ms: number } {
  for (const key of keys) {
    const value = values[key];
    if (typeof value !== 'string') continue;
    const ms = Date.parse(value);
    if (!Number.isNaN(ms)) return { text: value, ms };
  }
  return { text: new Date(modifiedMs).toISOString(), ms: modifiedMs };
}
