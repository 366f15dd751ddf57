import type { NoteEntry } from '../../../graph/view.ts';
import type { Vault } from '../../../vault/vault.ts';
import { pipelineOf } from './pipeline.ts';

/** Matches an open item in the YAML of an episode. */
const IS_OPEN = /^ingest:(?:\n .*)*?\n +state: (?!completed|parked)/m;

/**
 * Resumes items that an earlier process accepted and did not finish, and those that another process leaves behind later (S3-24, K-16).
 * Reads no notes if there are none.
 */
export function resumeIngestion(vault: Vault): void {
  if (vault.settings.config.readOnly) return;
  const { root } = vault.settings.config.knowledge;
  for (const entry of vault.graph.entries({ under: root, includeHidden: true })) if (isOpen(entry)) return pipelineOf(vault).wake();
  const stop = vault.notes.onChange((paths) => {
    if (!paths.some((path) => path.startsWith(`${root}/`) && isOpen(vault.graph.get(path)))) return;
    stop();
    // The pipeline follows changes itself.
    pipelineOf(vault).wake();
  });
}

function isOpen(entry: NoteEntry | null): boolean {
  return entry?.type === 'episode' && IS_OPEN.test(entry.yaml ?? '');
}
