import type { Config } from '../../config.ts';
import type { Ports } from '../../ports.ts';
import { openNodeFileSystem } from '../../store/folder/node-file-system.ts';
import { findRoot } from '../../store/folder/root.ts';
import { openOrigin } from '../../store/origin.ts';
import { openCacheFiles } from '../../store/records/cache-files.ts';
import { readObsidianFile } from '../obsidian/settings-file.ts';
import { openHiddenRules } from '../sync/hidden/hidden-rules.ts';
import { openCache } from './cache.ts';
import type { Snapshot } from './snapshot.ts';

/** A note as it was when the cache was last saved. */
export interface RememberedNote {
  readonly path: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly type: string | null;
}

/** What the last start of a vault left: its notes that are not hidden, and the paths of its other files. */
export interface Remembered {
  readonly notes: readonly RememberedNote[];
  readonly attachments: readonly string[];
}

/**
 * What the cache of a vault remembers, without a look at its notes: at once, and maybe a little out of date. Nothing where no cache is
 * that this program wrote here. Nothing is written or recovered. Throws `VAULT_NOT_FOUND` for what is no readable folder.
 */
export function readRemembered(vault: {
  readonly root: string;
  readonly config: Pick<Config, 'ignore'>;
  readonly ports: Ports;
  readonly program: string;
}): Remembered {
  const { config, ports, program } = vault;
  const files = openNodeFileSystem(findRoot(vault.root));
  const cacheFiles = openCacheFiles(files, openOrigin(files, ports), { newId: () => ports.newId(), onFailure: () => undefined });
  const rules = openHiddenRules({ ignore: config.ignore, obsidianSettings: readObsidianFile(files, 'app.json') });
  const snapshot = runThrough(openCache(cacheFiles, program).load((path) => rules.isHidden(path)));
  return {
    notes: (snapshot?.graph.entries ?? [])
      .filter((entry) => !entry.isHidden)
      .map(({ path, title, tags, type }) => ({ path, title, tags, type })),
    attachments: snapshot?.graph.attachments ?? [],
  };
}

function runThrough(steps: Generator<void, Snapshot | null>): Snapshot | null {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
