import type { Vault } from '../../../vault/vault.ts';
import { pipelineOf } from './pipeline.ts';

/** Matches an open item in the YAML of an episode. */
const IS_OPEN = /^ingest:(?:\n .*)*?\n +state: (?!completed|parked)/m;

/** Resumes items that an earlier process accepted and did not finish (S3-24). Reads no notes if there are none. */
export function resumeIngestion(vault: Vault): void {
  if (vault.settings.config.readOnly) return;
  for (const entry of vault.graph.entries({ under: vault.settings.config.knowledge.root, includeHidden: true }))
    if (entry.type === 'episode' && IS_OPEN.test(entry.yaml ?? '')) return pipelineOf(vault).wake();
}
