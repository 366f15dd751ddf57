import type { Vault } from '../../../vault/vault.ts';
import { pipelineOf } from './pipeline.ts';

/** An item that something is to be done with, in the YAML of its episode. */
const IS_OPEN = /^ingest:(?:\n .*)*?\n +state: (?!completed|parked)/m;

/** Goes on with items that were accepted before this process began, and are not done (S3-24). Reads no note where there are none. */
export function resumeIngestion(vault: Vault): void {
  if (vault.config.readOnly) return;
  for (const entry of vault.graph.entries({ under: vault.config.knowledge.root, includeHidden: true }))
    if (entry.type === 'episode' && IS_OPEN.test(entry.yaml ?? '')) return pipelineOf(vault).wake();
}
