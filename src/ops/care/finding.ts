import type { GraphView, NoteEntry } from '../../graph/view.ts';
import type { MovedNotes } from '../../vault/links/moved-notes.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import type { Vault } from '../../vault/vault.ts';

/** Every kind of finding, in the order in which they are told. */
export const FINDING_KINDS = [
  'vault',
  'journal',
  'index',
  'frontmatter',
  'unreadable-line',
  'conflict-copy',
  'conflict-marker',
  'duplicate-id',
  'name-twin',
  'unresolved-link',
  'ambiguous-link',
  'tags',
  'task-cycle',
  'ontology',
  'unknown-type',
  'duplicate-singleton',
  'fact',
  'episode',
  'unused-attachment',
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

/** Something that a person should look at. */
export interface Finding {
  readonly kind: FindingKind;
  /** The files that it concerns, the first one the place to look. */
  readonly paths: readonly string[];
  readonly message: string;
  /** What would put it right without guessing; absent where a person has to decide. */
  readonly fix?: Fix;
}

/** A finding as callers get it: in words. */
export interface ToldFinding extends Pick<Finding, 'kind' | 'paths' | 'message'> {
  /** What a fix would do. */
  readonly fix?: string;
}

/** So many files are named at once. */
export const MAX_LISTED = 20;

/** Paths in words, those beyond the first few as a number. */
export function listSome(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_LISTED).join(', ');
  return paths.length > MAX_LISTED ? `${named} and ${paths.length - MAX_LISTED} more` : named;
}

/** A finding in words. */
export function tell({ kind, paths, message, fix }: Finding): ToldFinding {
  return { kind, paths, message, ...(fix === undefined ? {} : { fix: fix.summary }) };
}

/** The change that a finding would make: one sentence for people, and what to write. */
export interface Fix {
  readonly summary: string;
  readonly files: readonly FileChange[];
  /** The unfinished write that is carried out by this, which is then forgotten. */
  readonly setAside?: string;
}

/** What is known before the graph is asked: it takes reading the history. */
export interface Background {
  readonly movedNotes: MovedNotes;
  /** By id that several notes have: the path that the history saw it at last. */
  readonly homes: ReadonlyMap<string, string>;
}

/** What a check looks at. */
export interface Look {
  readonly vault: Vault;
  readonly graph: GraphView;
  /** All notes, hidden ones too, by path. */
  readonly entries: readonly NoteEntry[];
  readonly background: Background;
}
