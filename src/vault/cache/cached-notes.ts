import type { Config } from '../../config.ts';
import type { Ports } from '../../ports.ts';
import { openNodeFileSystem } from '../../store/folder/node-file-system.ts';
import { findRoot } from '../../store/folder/root.ts';
import { createOrigin } from '../../store/origin.ts';
import { openCacheFiles } from '../../store/records/cache-files.ts';
import { readObsidianFile } from '../obsidian/settings-file.ts';
import { openHiddenRules } from '../sync/hidden/hidden-rules.ts';
import { cacheProgram, createCache } from './cache.ts';
import type { StoredSnapshot } from './snapshot.ts';

/** A note as of the last save of the cache. */
export interface CachedNote {
  readonly path: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly type: string | null;
}

/** What the cache holds of a vault: its visible notes, and the paths of its other files. */
export interface CachedNotes {
  readonly notes: readonly CachedNote[];
  readonly attachments: readonly string[];
}

/**
 * Reads the notes in the cache of a vault without looking at the notes themselves, so the result may be outdated. Empty when this program
 * stored no cache here. Writes and recovers nothing. Throws `VAULT_NOT_FOUND` for anything but a readable folder.
 */
export function readCachedNotes(vault: {
  readonly root: string;
  readonly config: Pick<Config, 'ignore' | 'okf'>;
  readonly ports: Ports;
  readonly program: string;
}): CachedNotes {
  const { config, ports, program } = vault;
  const files = openNodeFileSystem(findRoot(vault.root));
  const cacheFiles = openCacheFiles(files, createOrigin(files, ports), { newId: () => ports.newId(), onFailure: () => undefined });
  const rules = openHiddenRules({ ignore: config.ignore, obsidianSettings: readObsidianFile(files, 'app.json') });
  const snapshot = runThrough(createCache(cacheFiles, () => cacheProgram(program, config)).load((path) => rules.isHidden(path)));
  return {
    notes: (snapshot?.graph.entries ?? [])
      .filter((entry) => !entry.isExcluded)
      .map(({ path, title, tags, type }) => ({ path, title, tags, type })),
    attachments: snapshot?.graph.attachments ?? [],
  };
}

function runThrough(steps: Generator<void, StoredSnapshot | null>): StoredSnapshot | null {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
