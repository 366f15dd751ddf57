import { errorMessage, RouxError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import type { NoteChange } from '../../note/change.ts';
import type { NotePath } from '../../note/path.ts';
import type { Committed, FileChange, Plan } from '../../vault/plan/plan.ts';
import { loadChecks } from '../call/guards.ts';
import { writeMeta } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { describeSetAsides, findFixable, readBackground } from './diagnose.ts';
import { reportFinding } from './finding.ts';
import type { Finding, ReportedFinding } from './finding.ts';

/** The result of fixing, or of its dry run. */
export interface Fixed {
  readonly findings: readonly ReportedFinding[];
  readonly committed: Committed;
}

/** Fixing gives up after skipping this many files that cannot be written. */
const MAX_SKIPPED = 100;

/**
 * Fixes in one transaction all that can be fixed without guessing; a dry run only computes the diff. Files that cannot be written are
 * skipped with a warning.
 */
export async function fixFindings(context: OperationContext): Promise<Fixed> {
  const completed = await completeSetAsides(context);
  const fixed = await fixVault(context);
  if (completed.length === 0) return fixed;
  const diff = [...completed.map(({ committed }) => committed.diff ?? ''), fixed.committed.diff ?? ''].join('');
  const warnings = [...completed.flatMap(({ committed }) => committed.warnings), ...fixed.committed.warnings];
  return {
    findings: [...completed.map(({ finding }) => finding), ...fixed.findings],
    committed: { ...fixed.committed, warnings, ...(context.writeOptions.dryRun ? { diff } : {}) },
  };
}

/** Completes rejected journal entries, each as its own write; whoever requests the fix vouches for them. */
async function completeSetAsides(context: OperationContext): Promise<readonly { finding: ReportedFinding; committed: Committed }[]> {
  const { vault } = context;
  const done: { finding: ReportedFinding; committed: Committed }[] = [];
  for (const finding of describeSetAsides((await vault.health.verify({ rebuild: false })).setAside)) {
    const { fix } = finding;
    if (fix?.setAside === undefined) continue;
    try {
      const committed = await vault.writes.completeWrite(writeMeta(context, 'doctor'), fix.setAside);
      done.push({ finding: reportFinding(finding), committed });
    } catch (error) {
      if (!(error instanceof RouxError)) throw error;
      context.warn(`Not fixed: ${errorMessage(error)}`);
    }
  }
  return done;
}

async function fixVault(context: OperationContext): Promise<Fixed> {
  const { vault } = context;
  const background = await readBackground(vault);
  const checks = await loadChecks(context);
  const skipped = new Set<string>();
  for (;;) {
    try {
      const { result, ...committed } = await vault.writes.write(writeMeta(context, 'doctor'), (graph) => {
        const ofToolsets = checks.flatMap((each) => each.all()).filter(({ fix }) => fix !== undefined);
        const findings = [...findFixable(vault, graph, background), ...ofToolsets].flatMap((finding) => withoutFiles(skipped, finding));
        return { ...planFixes(findings), result: findings.map(reportFinding) };
      });
      return { findings: result, committed: { ...committed, result: undefined } };
    } catch (error) {
      const path = refusedPath(error);
      if (path === null || skipped.size === MAX_SKIPPED || skipped.has(path)) throw error;
      skipped.add(path);
      context.warn(`Not fixed: ${errorMessage(error)}`);
    }
  }
}

/** Returns the file because of which a write was refused. */
function refusedPath(error: unknown): string | null {
  if (!(error instanceof RouxError) || !isRecord(error.details)) return null;
  const { path } = error.details;
  return typeof path === 'string' ? path : null;
}

/** Returns a finding without the fixes of skipped files; empty if no fix remains. */
function withoutFiles(skipped: ReadonlySet<string>, finding: Finding): readonly Finding[] {
  if (finding.fix === undefined) return [finding];
  const files = finding.fix.files.filter((file) => !('path' in file && skipped.has(file.path)));
  return files.length === 0 ? [] : [{ ...finding, fix: { ...finding.fix, files } }];
}

/** Combines all fixes into one plan with one change per file. */
export function planFixes(findings: readonly Finding[]): Plan {
  const changes = new Map<NotePath, NoteChange[]>();
  const others: FileChange[] = [];
  for (const file of findings.flatMap(({ fix }) => fix?.files ?? [])) {
    if (file.kind !== 'change') others.push(file);
    else changes.set(file.path, [...(changes.get(file.path) ?? []), ...file.changes]);
  }
  return { files: [...[...changes].map(([path, list]): FileChange => ({ kind: 'change', path, changes: joined(list) })), ...others] };
}

/** Combines link changes, and updates the revision once, at the end. */
function joined(changes: readonly NoteChange[]): readonly NoteChange[] {
  const links = changes.flatMap((change) => (change.op === 'relink' ? change.links : []));
  const touch = changes.find((change) => change.op === 'touch');
  return [
    ...(links.length === 0 ? [] : [{ op: 'relink' as const, links }]),
    ...changes.filter(({ op }) => op !== 'relink' && op !== 'touch'),
    ...(touch === undefined ? [] : [touch]),
  ];
}
