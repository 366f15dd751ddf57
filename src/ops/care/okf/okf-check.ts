import * as z from 'zod';
import { hasReservedName } from '../../../note/okf/reserved.ts';
import { defineOperation } from '../../operation.ts';
import type { OkfFinding } from '../../okf/find-okf.ts';
import { topsFor } from './tops.ts';

/** The state of bundles. */
export interface OkfReport {
  /** The top folders that were checked; "." is the vault itself. */
  readonly bundles: readonly string[];
  readonly concepts: number;
  /** Whether there is no error among the findings. */
  readonly conforms: boolean;
  readonly findings: readonly OkfFinding[];
}

/** Checks bundles against the Open Knowledge Format. */
export const okfCheck = defineOperation({
  name: 'okf_check',
  toolset: null,
  title: 'Check a bundle',
  summary: 'Whether bundles conform to the Open Knowledge Format, with the path and line of what does not.',
  effect: 'read',
  isOfWholeVault: true,
  isIdempotent: true,
  input: z.object({ folder: z.string().optional() }),
  async run({ vault }, { folder }): Promise<OkfReport> {
    await vault.refresh('changed');
    const tops = topsFor(vault, folder);
    const { findOkf, notesOfBundle } = await import('../../okf/find-okf.ts');
    const findings = findOkf(vault, { tops });
    const concepts = tops.reduce(
      (sum, top) => sum + [...notesOfBundle(vault.graph, top)].filter(({ path }) => !hasReservedName(path)).length,
      0,
    );
    return { bundles: tops.map((top) => top || '.'), concepts, conforms: findings.every(({ level }) => level !== 'error'), findings };
  },
});
