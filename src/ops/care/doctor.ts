import * as z from 'zod';
import type { EmbeddingStatus } from '../../graph/semantic/embeddings.ts';
import type { Committed } from '../../vault/plan/plan.ts';
import { defineOperation } from '../operation.ts';
import { diagnose } from './diagnose.ts';
import { tell } from './finding.ts';
import type { ToldFinding } from './finding.ts';
import { fixFindings } from './fix.ts';

/** The vault after it was looked through. */
export interface Checkup {
  readonly notes: number;
  /** What is wrong now. */
  readonly findings: readonly ToldFinding[];
  /** What was put right, or would be in a dry run; null when nobody asked for it. */
  readonly fixed: { readonly findings: readonly ToldFinding[]; readonly committed: Committed } | null;
  /** What deleted files take of the disk. */
  readonly trash: { readonly files: number; readonly bytes: number };
  /** How far embedding is. */
  readonly meaning: EmbeddingStatus;
}

/** Looks the whole vault through, reading it anew, and puts right what needs no guessing where that is asked for. */
export const doctor = defineOperation({
  name: 'doctor',
  toolset: null,
  title: 'Doctor',
  summary: 'What is wrong in the vault; fix puts right, in one batch, what needs no guessing.',
  effect: 'write',
  writesByOption: true,
  isIdempotent: true,
  input: z.object({ fix: z.boolean().default(false) }),
  async run(context, { fix }): Promise<Checkup> {
    const { vault } = context;
    await vault.refresh('strict');
    const fixed = fix ? await fixFindings(context) : null;
    // A person looked: what vanished before may stay away.
    if (fix && context.isDryRun !== true && !context.isReadOnly) await vault.acceptDeletions();
    const findings = await diagnose(vault, { rebuild: true, own: await context.checks?.() });
    const trash = vault.trash();
    await vault.embeddings.ensureLoaded();
    return {
      notes: vault.graph.size,
      findings: findings.map(tell),
      fixed: fixed === null ? null : { findings: fixed.findings.map(tell), committed: fixed.committed },
      trash: { files: trash.length, bytes: trash.reduce((sum, { size }) => sum + size, 0) },
      meaning: vault.embeddings.status(),
    };
  },
});
