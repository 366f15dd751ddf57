import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import type { CheckKind } from './finding.ts';
import type { CheckResult } from './run-check.ts';

/** What a check found, and what of it fails. */
export interface CheckReport extends CheckResult {
  /** The kinds that fail, as the settings say. */
  readonly fail: readonly CheckKind[];
}

/** Checks notes against the repository around them, for people, hooks and CI. Writes nothing. */
export const check = defineOperation({
  name: 'check',
  toolset: null,
  isOfWholeVault: true,
  title: 'Check',
  summary: 'Notes that their code has left behind, and what is broken in them.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    since: z.string().min(1).max(1000).optional().describe('Only notes that the changes since this commit touch'),
    paths: z.array(z.string()).optional().describe('Only notes in these files and folders (with "/" at the end), and about them'),
  }),
  async run({ vault, config }, query): Promise<CheckReport> {
    await vault.refresh('changed');
    const { runCheck } = await import('./run-check.ts');
    return { ...(await runCheck(vault, query)), fail: config.check.fail };
  },
});
