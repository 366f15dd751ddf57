import type { Task } from '../../../graph/tasks/task.ts';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { isPropertyList, isPropertyMap, revOf } from '../../../note/frontmatter/property-value.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import type { OperationContext } from '../../operation.ts';

/** Evidence in answers. */
export interface EvidenceShape {
  readonly type: string;
  readonly ref: string;
  readonly agent: string;
  readonly timestamp: string;
}

/** A whole node on the wire. */
export interface NodeShape {
  readonly id: string;
  readonly rev: number;
  readonly parent?: string;
  readonly summary: string;
  readonly resolved: boolean;
  readonly blocked?: true;
  readonly blocked_reason?: string;
  readonly state?: PropertyValue;
  readonly properties: Properties;
  readonly context_links: readonly string[];
  readonly evidence: readonly EvidenceShape[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
  readonly _warnings?: readonly string[];
}

/** The shortest way to name a node. */
export interface NodeName {
  readonly id: string;
  readonly summary: string;
}

/** Builds the answer for a node, with the warnings about its note, and records the revision that it tells. */
export function toNode(context: OperationContext, task: Task): NodeShape {
  const entry = entryOf(context.vault.graph, task);
  const warnings = entry === null ? [] : context.takeWarnings(entry);
  const values = entry?.properties ?? {};
  const rev = readRev(values);
  if (entry !== null) context.readLog?.tellRevision(entry.path, { rev, hash: entry.hash });
  return {
    id: task.note.id,
    rev,
    ...(task.parent === null ? {} : { parent: task.parent.note.id }),
    summary: task.note.summary,
    resolved: task.note.isResolved,
    ...toBlocked(task),
    ...toState(values),
    properties: task.note.properties,
    context_links: readContextLinks(values),
    evidence: readEvidence(values),
    created_at: task.note.createdAt,
    updated_at: task.note.updatedAt,
    created_by: typeof values['created_by'] === 'string' ? values['created_by'] : 'external',
    ...(warnings.length === 0 ? {} : { _warnings: warnings }),
  };
}

export function toName(task: Task): NodeName {
  return { id: task.note.id, summary: task.note.summary };
}

/** Returns that a task was explicitly blocked, and why. */
export function toBlocked({ note }: Task): { blocked?: true; blocked_reason?: string } {
  return note.blocked === null ? {} : { blocked: true, blocked_reason: note.blocked };
}

/** Returns `state` if the note has one, including `null` and `false`. */
export function toState(values: Properties): { state?: PropertyValue } {
  const state = values['state'];
  return state === undefined ? {} : { state };
}

/** Returns the frontmatter of a task; empty if its note is missing. */
export function valuesOf(graph: GraphView, task: Task): Properties {
  return entryOf(graph, task)?.properties ?? {};
}

function entryOf(graph: GraphView, task: Task): NoteEntry | null {
  return graph.get(task.note.path);
}

/** Returns the written `rev`; 0 for a note that no tool has written yet. */
export function readRev(values: Properties): number {
  return revOf(values) ?? 0;
}

export function readContextLinks(values: Properties): readonly string[] {
  const links = values['context_links'];
  if (typeof links === 'string') return [links];
  return isPropertyList(links) ? links.filter((link) => typeof link === 'string') : [];
}

export function readEvidence(values: Properties): readonly EvidenceShape[] {
  const evidence = values['evidence'];
  if (!isPropertyList(evidence)) return [];
  // Plain text was written by a person.
  return evidence.map((one) =>
    isPropertyMap(one)
      ? {
          type: text(one['type'], 'note'),
          ref: text(one['ref'], ''),
          agent: text(one['agent'], 'external'),
          timestamp: text(one['timestamp'], ''),
        }
      : { type: 'note', ref: text(one, ''), agent: 'external', timestamp: '' },
  );
}

function text(value: PropertyValue | undefined, fallback: string): string {
  if (value === undefined || value === null) return fallback;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
