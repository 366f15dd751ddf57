import { errorMessage, RouxError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import type { NoteChange } from '../../note/change.ts';
import type { NotePath } from '../../note/path.ts';
import type { Committed, FileChange, Plan } from '../../vault/plan/plan.ts';
import { writeMeta } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { describeSetAsides, findFixable, readBackground } from './diagnose.ts';
import type { Finding } from './finding.ts';

/** What fixing did, or would do. */
export interface Fixed {
  readonly findings: readonly Finding[];
  readonly committed: Committed;
}

/** How many files that cannot be written are left out before fixing gives up. */
const MAX_LEFT = 100;

/**
 * Puts right, in one transaction, all that can be put right without guessing; with a dry run only the diff is made.
 * A file that cannot be written is left as it is, with a warning: the rest is not to wait for it.
 */
export async function fixFindings(context: OperationContext): Promise<Fixed> {
  const carriedOut = await carryOutSetAside(context);
  const fixed = await fixVault(context);
  if (carriedOut.length === 0) return fixed;
  const diff = [...carriedOut.map(({ committed }) => committed.diff ?? ''), fixed.committed.diff ?? ''].join('');
  const warnings = [...carriedOut.flatMap(({ committed }) => committed.warnings), ...fixed.committed.warnings];
  return {
    findings: [...carriedOut.map(({ finding }) => finding), ...fixed.findings],
    committed: { ...fixed.committed, warnings, ...(context.isDryRun ? { diff } : {}) },
  };
}

/** Unfinished writes that were put aside, each a write of its own: whoever asks for it vouches for them. */
async function carryOutSetAside(context: OperationContext): Promise<readonly { finding: Finding; committed: Committed }[]> {
  const { vault } = context;
  const done: { finding: Finding; committed: Committed }[] = [];
  for (const finding of describeSetAsides((await vault.verify({ rebuild: false })).setAside)) {
    const { fix } = finding;
    if (fix?.setAside === undefined) continue;
    try {
      const committed = await vault.completeWrite(writeMeta(context, 'doctor'), fix.setAside);
      done.push({ finding, committed });
    } catch (error) {
      if (!(error instanceof RouxError)) throw error;
      context.warn(`Left as it is: ${errorMessage(error)}`);
    }
  }
  return done;
}

async function fixVault(context: OperationContext): Promise<Fixed> {
  const { vault } = context;
  const background = await readBackground(vault);
  const left = new Set<string>();
  for (;;) {
    let findings: readonly Finding[] = [];
    let plan: Plan = { files: [] };
    try {
      const committed = await vault.write(writeMeta(context, 'doctor'), (graph) => {
        findings = findFixable(vault, graph, background).flatMap((finding) => without(left, finding));
        plan = planFixes(findings);
        return plan;
      });
      return { findings, committed };
    } catch (error) {
      const path = refusedPath(error);
      if (path === null || left.size === MAX_LEFT || !pathsOf(plan.files).includes(path)) throw error;
      left.add(path);
      context.warn(`Left as it is: ${errorMessage(error)}`);
    }
  }
}

/** The file that a write was refused for. */
function refusedPath(error: unknown): string | null {
  if (!(error instanceof RouxError) || !isRecord(error.details)) return null;
  const { path } = error.details;
  return typeof path === 'string' ? path : null;
}

/** A finding with what of its fix can be written; none where nothing can. */
function without(left: ReadonlySet<string>, finding: Finding): readonly Finding[] {
  if (finding.fix === undefined) return [finding];
  const files = finding.fix.files.filter((file) => !('path' in file && left.has(file.path)));
  return files.length === 0 ? [] : [{ ...finding, fix: { ...finding.fix, files } }];
}

function pathsOf(files: readonly FileChange[]): readonly string[] {
  return files.flatMap((file) => ('path' in file ? [file.path] : []));
}

/** One plan of all the fixes, each file in it once. */
export function planFixes(findings: readonly Finding[]): Plan {
  const changes = new Map<NotePath, NoteChange[]>();
  const others: FileChange[] = [];
  for (const file of findings.flatMap(({ fix }) => fix?.files ?? [])) {
    if (file.kind !== 'change') others.push(file);
    else changes.set(file.path, [...(changes.get(file.path) ?? []), ...file.changes]);
  }
  return { files: [...[...changes].map(([path, list]): FileChange => ({ kind: 'change', path, changes: joined(list) })), ...others] };
}

/** Relinks as one change, the revision counted once and last. */
function joined(changes: readonly NoteChange[]): readonly NoteChange[] {
  const links = changes.flatMap((change) => (change.op === 'relink' ? change.links : []));
  const touch = changes.find((change) => change.op === 'touch');
  return [
    ...(links.length === 0 ? [] : [{ op: 'relink' as const, links }]),
    ...changes.filter(({ op }) => op !== 'relink' && op !== 'touch'),
    ...(touch === undefined ? [] : [touch]),
  ];
}
