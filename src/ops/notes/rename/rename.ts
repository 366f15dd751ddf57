import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { GraphView } from '../../../graph/view.ts';
import { toNotePath } from '../../../note/path.ts';
import type { RenameContext } from '../../../vault/links/rename.ts';
import { planRenames } from '../../../vault/links/renames/plan-renames.ts';
import type { RenameResult, RenameChange } from '../../../vault/links/renames/plan-renames.ts';
import { planRetargets } from '../../../vault/links/renames/plan-retarget.ts';
import type { Committed, FileChange, Plan } from '../../../vault/plan/plan.ts';
import { truncateDiff } from '../../dry-run.ts';
import { createRenameContext } from '../../links.ts';
import { checkRenames } from '../../call/guards.ts';
import { defineOperation, toDryRun, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { takeWhileFits, shorten } from '../../shorten.ts';
import { findChange } from './rename-changes.ts';
import type { FoundChange, GivenChange, Retarget } from './rename-changes.ts';
import { findGhost } from '../../reference.ts';
import { findQueries } from './rename-queries.ts';

/** The result of a rename. */
export interface RenameAnswer {
  /** In the order of the changes; those that do not fit are counted in `renamed_omitted`. */
  readonly renamed: readonly RenameResult[];
  readonly renamed_omitted?: number;
  /** Number of files in which links were rewritten. */
  readonly links_rewritten_in: number;
  /** For `roux undo`; null if nothing was written. */
  readonly batch?: string | null;
  readonly dry_run?: true;
  /** Unified; only for a dry run. */
  readonly diff?: string;
  readonly _warnings?: readonly string[];
}

/** Maximum characters of the renames in an answer of 40,000. */
const MAX_RENAMED_CHARACTERS = 6_000;
const MAX_WARNINGS = 20;
const MAX_WARNING_CHARACTERS = 400;

/** Renames and moves any mix of notes, folders, attachments, headings, blocks and tags as one write (E-14 to E-18, E-20). */
export const rename = defineOperation({
  name: 'rename',
  toolset: 'vault',
  title: 'Rename or move',
  summary:
    'Rename or move notes (old names become aliases), files, folder/, Note#Heading, #tag; links follow. Broken links: from their name to a note.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({
    changes: z
      .array(
        z.object({
          from: z.string().min(1).describe('As in the description'),
          to: z.string().min(1).describe('New name, or folder/ to move there'),
        }),
      )
      .min(1)
      .describe('All or none'),
    merge: z.boolean().optional().describe('true: a folder may move into one that exists'),
    dry_run: z.boolean().optional().describe('Only show the diff'),
  }),
  async run(context, { changes, merge = false, dry_run: isRehearsal = false }): Promise<RenameAnswer> {
    const isDryRun = isRehearsal || context.writeOptions.dryRun === true;
    const meta = writeMeta(isDryRun ? toDryRun(context) : context, 'rename');
    const { found, queries } = await findAll(context, changes);
    const committed = await context.vault.writes.write(meta, async (graph) => {
      const { retargets, wanted } = separate(await Promise.all(found.map((change) => change())));
      if (retargets.length > 0) return planRetargeted(context, graph, retargets);
      await checkRenames(context, graph, titleChanges(graph, wanted));
      const { renamed, ...plan } = planRenames(renameContext(context, graph), wanted, { merge });
      await checkRenames(context, graph, plan.files);
      return { ...plan, result: describe(renamed, plan.files) };
    });
    const warnings = warningsOf([...committed.warnings, ...queries]);
    return {
      ...committed.result,
      ...(isDryRun ? { dry_run: true, diff: diffOf(context, committed) } : { batch: committed.batch }),
      ...(warnings.length === 0 ? {} : { _warnings: warnings }),
    };
  },
});

/** Separates what only links name from what is there. The two do not mix: where such a link leads depends on what is renamed. */
function separate(changes: readonly (RenameChange | Retarget)[]): {
  readonly retargets: readonly Retarget[];
  readonly wanted: readonly RenameChange[];
} {
  const retargets = changes.filter((change) => change.kind === 'missing');
  const wanted = changes.filter((change) => change.kind !== 'missing');
  const [first] = retargets;
  if (first === undefined || wanted.length === 0) return { retargets, wanted };
  const message = `Only links name "${first.from}". Let them lead elsewhere in a call of its own, without other renames.`;
  throw new RouxError('INVALID_PARAMS', message, { field: 'changes' });
}

/** Plans to let links to missing names lead to files. */
function planRetargeted(
  context: OperationContext,
  graph: GraphView,
  retargets: readonly Retarget[],
): Plan & { readonly result: RenameAnswer } {
  const known = retargets.flatMap(({ from, to }) => {
    const missing = findGhost(graph, from);
    return missing === null ? [] : [{ missing, to }];
  });
  const plan = planRetargets(createRenameContext(context.vault, graph), known);
  const renamed = known.map(({ missing, to }) => ({ from: missing.linkpath, to, files: missing.sources.length }));
  return { ...plan, result: describe(renamed, plan.files) };
}

/** Returns a title change for each note that the call gives a title. */
function titleChanges(graph: GraphView, wanted: readonly RenameChange[]): readonly FileChange[] {
  return wanted.flatMap((change): FileChange[] => {
    const path = change.kind === 'file' && 'title' in change.to ? graph.get(change.from)?.path : undefined;
    if (path === undefined || change.kind !== 'file' || !('title' in change.to)) return [];
    return [{ kind: 'change', path, changes: [{ op: 'set', key: ['title'], value: change.to.title }] }];
  });
}

/**
 * Resolves the changes. When a call is repeated with its idempotency key, a name may be missing because the first call renamed it: the
 * error is deferred to the write, which returns the first answer.
 */
async function findAll(
  context: OperationContext,
  changes: readonly GivenChange[],
): Promise<{ readonly found: readonly FoundChange[]; readonly queries: readonly string[] }> {
  try {
    const found = await Promise.all(changes.map((change) => findChange(context, change)));
    const { wanted } = separate(await Promise.all(found.map((change) => change())));
    return { found, queries: await findQueries(context, wanted) };
  } catch (error) {
    if (context.writeOptions.idempotencyKey === undefined) throw error;
    return { found: [() => Promise.reject(error as Error)], queries: [] };
  }
}

/** Reads notes from memory too: a plan for the inside of a note is checked against its file when it is written. */
function renameContext({ vault }: OperationContext, graph: GraphView): RenameContext {
  const context = createRenameContext(vault, graph);
  const readText = (path: string): string | null => {
    const note = toNotePath(path);
    return note === null ? context.readText(path) : vault.notes.readTextUnstable(note);
  };
  return { ...context, readText };
}

function describe(renamed: readonly RenameResult[], files: readonly FileChange[]): RenameAnswer {
  const shown = takeWhileFits(renamed, MAX_RENAMED_CHARACTERS);
  return {
    renamed: shown,
    ...(shown.length === renamed.length ? {} : { renamed_omitted: renamed.length - shown.length }),
    links_rewritten_in: files.filter(isRewritten).length,
  };
}

function isRewritten(file: FileChange): boolean {
  if (file.kind === 'splice') return true;
  if (file.kind !== 'change' && file.kind !== 'move') return false;
  return (file.kind === 'move' && file.rewrite !== undefined) || file.changes.some(({ op }) => op === 'relink');
}

/** A dry run of the caller's own (`--dry-run`) shows the whole diff. */
function diffOf({ writeOptions }: OperationContext, committed: Committed): string {
  return writeOptions.dryRun === true ? (committed.diff ?? '') : truncateDiff(committed);
}

function warningsOf(warnings: readonly string[]): readonly string[] {
  const shown = warnings.slice(0, MAX_WARNINGS).map((warning) => shorten(warning, MAX_WARNING_CHARACTERS));
  return warnings.length <= MAX_WARNINGS ? shown : [...shown, `… and ${warnings.length - MAX_WARNINGS} more warnings.`];
}
