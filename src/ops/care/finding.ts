import type { GraphView, NoteEntry } from '../../graph/view.ts';
import type { MovedNotes } from '../../vault/links/moved-notes.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import type { Vault } from '../../vault/vault.ts';

/** All kinds of findings, in the order in which they are listed: last those with nothing to mend, of which a vault may have hundreds. */
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
  'missing-heading',
  'dead-anchor',
  'moved-anchor',
  'unconfirmed',
  'tags',
  'task-cycle',
  'ontology',
  'unknown-type',
  'duplicate-singleton',
  'duplicate',
  'fact',
  'episode',
  'orders',
  'okf',
  'unused-attachment',
  'stale',
  'ambiguous-link',
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

/** Kinds whose message does not name the files concerned: `paths` does. */
export const KINDS_WITHOUT_PATHS: ReadonlySet<FindingKind> = new Set(['unresolved-link', 'missing-heading', 'ambiguous-link', 'orders']);

/** A problem that a person should look at. */
export interface Finding {
  readonly kind: FindingKind;
  /** The files concerned; the first one is where to look. */
  readonly paths: readonly string[];
  readonly message: string;
  /** Returns the name that was probably meant, if any is near. Only called for findings that are shown, as it compares many names. */
  readonly nearest?: () => string | undefined;
  /** A fix that needs no guessing; absent if a person has to decide. */
  readonly fix?: Fix;
}

/** A finding as callers see it. */
export interface ReportedFinding extends Pick<Finding, 'kind' | 'paths' | 'message'> {
  /** The name that was probably meant. */
  readonly nearest?: string;
  /** Description of the fix. */
  readonly fix?: string;
}

/** Converts a finding for callers. */
export function reportFinding({ kind, paths, message, nearest, fix }: Finding): ReportedFinding {
  const near = fix === undefined ? nearest?.() : undefined;
  return {
    kind,
    paths,
    message,
    ...(near === undefined ? {} : { nearest: near }),
    ...(fix === undefined ? {} : { fix: fix.summary }),
  };
}

/** A fix: a sentence for people, and the changes. */
export interface Fix {
  readonly summary: string;
  readonly files: readonly FileChange[];
  /** The rejected journal entry that the fix completes. */
  readonly setAside?: string;
}

/** Information from the history, read before the checks. */
export interface Background {
  readonly movedNotes: MovedNotes;
  /** For ids of several notes: the path at which the history last saw the id. */
  readonly homes: ReadonlyMap<string, string>;
}

/** What a check examines. */
export interface CheckInput {
  readonly vault: Vault;
  readonly graph: GraphView;
  /** All notes by path, including hidden ones. */
  readonly entries: readonly NoteEntry[];
  readonly background: Background;
}
