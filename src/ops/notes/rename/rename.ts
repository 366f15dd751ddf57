import * as z from 'zod';
import type { GraphView } from '../../../graph/view.ts';
import { toNotePath } from '../../../note/path.ts';
import type { RenameContext } from '../../../vault/links/rename.ts';
import { planRenames } from '../../../vault/links/renames/plan-renames.ts';
import type { RenameResult, RenameChange } from '../../../vault/links/renames/plan-renames.ts';
import type { Committed, FileChange } from '../../../vault/plan/plan.ts';
import { truncateDiff } from '../../dry-run.ts';
import { createRenameContext } from '../../links.ts';
import { defineOperation, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { takeWhileFits, shorten } from '../../shorten.ts';
import { findChange } from './rename-changes.ts';
import type { FoundChange, GivenChange } from './rename-changes.ts';
import { findQueries } from './rename-queries.ts';
import { refuseTaskMoves } from './task-moves.ts';

/** What renames came to. */
export interface RenameAnswer {
  /** In the order of the changes, as many as fit. */
  readonly renamed: readonly RenameResult[];
  readonly renamed_omitted?: number;
  /** Files in which links were rewritten. */
  readonly links_rewritten_in: number;
  /** For `roux undo`; null where nothing was written. */
  readonly batch?: string | null;
  readonly dry_run?: true;
  /** Unified; of a dry run alone. */
  readonly diff?: string;
  readonly _warnings?: readonly string[];
}

/** Most characters of an answer that its parts may take: of 40,000. */
const MAX_RENAMED = 6_000;
const MAX_WARNINGS = 20;
const MAX_WARNING_CHARACTERS = 400;

/** Renames and moves any mix of notes, folders, other files, headings, blocks and tags as one write (E-14 to E-18, E-20). */
export const rename = defineOperation({
  name: 'rename',
  toolset: 'vault',
  title: 'Rename or move',
  summary: 'Rename or move notes, files, folder/, Note#Heading, #tag; all links follow.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({
    changes: z.array(z.object({ from: z.string().min(1), to: z.string().min(1) })).min(1),
    merge: z.boolean().optional(),
    dry_run: z.boolean().optional(),
  }),
  async run(context, { changes, merge = false, dry_run: isRehearsal = false }): Promise<RenameAnswer> {
    const isDryRun = isRehearsal || context.isDryRun === true;
    const meta = writeMeta({ ...context, isDryRun }, 'rename');
    const { found, queries } = await findAll(context, changes);
    const committed = await context.vault.write(meta, async (graph) => {
      const wanted = await Promise.all(found.map((change) => change()));
      context.checkRenames?.(graph, titled(graph, wanted));
      const { renamed, ...plan } = planRenames(renameContext(context, graph), wanted, { merge });
      refuseTaskMoves(context, graph, plan.files);
      context.checkRenames?.(graph, plan.files);
      return { ...plan, result: describe(renamed, plan.files) };
    });
    const said = warningsOf([...committed.warnings, ...queries]);
    return {
      ...(committed.result as RenameAnswer),
      ...(isDryRun ? { dry_run: true, diff: diffOf(context, committed) } : { batch: committed.batch }),
      ...(said.length === 0 ? {} : { _warnings: said }),
    };
  },
});

/** The notes that a title is given, as changes of nothing else. */
function titled(graph: GraphView, wanted: readonly RenameChange[]): readonly FileChange[] {
  return wanted.flatMap((change): FileChange[] => {
    const path = change.kind === 'file' && 'title' in change.to ? graph.get(change.from)?.path : undefined;
    if (path === undefined || change.kind !== 'file' || !('title' in change.to)) return [];
    return [{ kind: 'change', path, changes: [{ op: 'set', key: ['title'], value: change.to.title }] }];
  });
}

/** What the changes name. Where a call is repeated, that may be gone because the first one renamed it: the write is asked even so, and knows. */
async function findAll(
  context: OperationContext,
  changes: readonly GivenChange[],
): Promise<{ readonly found: readonly FoundChange[]; readonly queries: readonly string[] }> {
  try {
    const found = await Promise.all(changes.map((change) => findChange(context, change)));
    return { found, queries: await findQueries(context, await Promise.all(found.map((change) => change()))) };
  } catch (error) {
    if (context.idempotencyKey === undefined) throw error;
    return { found: [() => Promise.reject(error as Error)], queries: [] };
  }
}

/** Notes are read too: what is planned inside of one is checked against its file when it is written. */
function renameContext({ vault }: OperationContext, graph: GraphView): RenameContext {
  const context = createRenameContext(vault, graph);
  const readText = (path: string): string | null => {
    const note = toNotePath(path);
    return note === null ? context.readText(path) : vault.readTextUnstable(note);
  };
  return { ...context, readText };
}

function describe(renamed: readonly RenameResult[], files: readonly FileChange[]): RenameAnswer {
  const shown = takeWhileFits(renamed, MAX_RENAMED);
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

/** Whoever asked at a terminal sees all of it. */
function diffOf({ isDryRun = false }: OperationContext, { diff = '' }: Committed): string {
  return isDryRun ? diff : truncateDiff(diff);
}

function warningsOf(warnings: readonly string[]): readonly string[] {
  const told = warnings.slice(0, MAX_WARNINGS).map((warning) => shorten(warning, MAX_WARNING_CHARACTERS));
  return warnings.length <= MAX_WARNINGS ? told : [...told, `… and ${warnings.length - MAX_WARNINGS} more warnings.`];
}
