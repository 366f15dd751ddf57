import type { NoteChange } from '../../note/change.ts';
import type { NotePath } from '../../note/path.ts';
import type { Committed, FileChange, Plan } from '../../vault/plan.ts';
import type { OperationContext } from '../operation.ts';
import { writeMeta } from '../write-meta.ts';
import { findFixable, readBackground } from './diagnose.ts';
import type { Finding } from './finding.ts';

/** What fixing did, or would do. */
export interface Fixed {
  readonly findings: readonly Finding[];
  readonly committed: Committed;
}

/** Puts right, in one transaction, all that can be put right without guessing; with a dry run only the diff is made. */
export async function fixFindings(context: OperationContext): Promise<Fixed> {
  const { vault } = context;
  const background = await readBackground(vault);
  let findings: readonly Finding[] = [];
  const committed = await vault.write(writeMeta(context, 'doctor'), (graph) => {
    findings = findFixable(vault, graph, background);
    return planFixes(findings);
  });
  return { findings, committed };
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
