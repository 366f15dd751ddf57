import * as z from 'zod';
import type { EmbeddingStatus } from '../../graph/semantic/embeddings.ts';
import { loadChecks } from '../call/guards.ts';
import { defineOperation } from '../operation.ts';
import { describeFiles } from './attachments.ts';
import { diagnose } from './diagnose.ts';
import { reportFinding } from './finding.ts';
import type { ReportedFinding } from './finding.ts';
import { fixFindings } from './fix.ts';
import type { Fixed } from './fix.ts';

/** The state of the vault after a check. */
export interface Checkup {
  readonly notes: number;
  /** The present problems. */
  readonly findings: readonly ReportedFinding[];
  /** What was fixed, or would be in a dry run; null unless requested. */
  readonly fixed: Fixed | null;
  /** Disk space used by deleted files. */
  readonly trash: { readonly files: number; readonly bytes: number };
  /** How far PDFs and pictures are searched, in one line; null where there are none. */
  readonly files: string | null;
  /** Progress of embedding. */
  readonly meaning: EmbeddingStatus;
}

/** Checks the whole vault against a fresh read, and on request fixes what is unambiguous. */
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
    // A person has seen what is missing, so the deletions are acknowledged.
    if (fix && context.writeOptions.dryRun !== true) await vault.health.acceptDeletions();
    const { findAboutCode } = await import('./check/about-code.ts');
    const aboutCode = await findAboutCode(context);
    const findings = await diagnose(vault, { rebuild: true, checks: await loadChecks(context), aboutCode });
    const trash = vault.writes.trash();
    await Promise.all([vault.search.embeddings.ensureLoaded(), vault.search.embeddings.checkStore()]);
    return {
      notes: vault.graph.size,
      findings: findings.map(reportFinding),
      fixed,
      trash: { files: trash.length, bytes: trash.reduce((sum, { size }) => sum + size, 0) },
      files: describeFiles(vault.search),
      meaning: vault.search.embeddings.status(),
    };
  },
});
