import { join } from 'node:path';
import type { Sharing } from '../faces/sharing.ts';
import { readSmallFile } from '../small-file.ts';
import { loadConfig } from '../system/settings-files/load-config.ts';
import { readSharedLink } from '../system/shared-link.ts';
import { systemPorts } from '../system/system-ports.ts';
import { requireOwnFolder, trustedFolders } from '../system/trusted-folders.ts';
import type { OpenProgramHost } from './copy.ts';

/**
 * Creates the operations on shared vaults for the command line. Each is imported on first use. `openHost` opens a vault the way the program
 * does; `mayBeOthers` accepts folders of other users.
 */
export function createSharing({
  openHost,
  env,
  mayBeOthers,
}: {
  readonly openHost: OpenProgramHost;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly mayBeOthers: boolean;
}): Sharing {
  const ports = systemPorts();
  const mustBeOwn = (folder: string): void => {
    if (!mayBeOthers) requireOwnFolder(folder, env);
  };
  return {
    async share(folder, url, onProgress) {
      mustBeOwn(folder);
      const outcome = await (await import('./share.ts')).share(folder, url, { ports, onProgress });
      if (outcome.state === 'done' && !asksForTrust(folder, env)) trustCreated(folder);
      return outcome;
    },
    async clone(url, to, onProgress) {
      if (to.folder !== null) mustBeOwn(to.folder);
      const outcome = await (await import('./clone.ts')).clone(url, to, { ports, onProgress });
      if (outcome.state === 'done') trustCreated(outcome.folder);
      return outcome;
    },
    async unshare(folder, options) {
      mustBeOwn(folder);
      return (await import('./unshare.ts')).unshare(folder, options, ports);
    },
    async status(folder, onProgress) {
      mustBeOwn(folder);
      const link = readSharedLink(folder);
      return link === null ? null : (await import('./status.ts')).status(folder, link, { ports, onProgress });
    },
    async prune(folder, keepDays) {
      mustBeOwn(folder);
      const link = readSharedLink(folder);
      return link === null ? null : (await import('./prune.ts')).prune(link, keepDays, ports);
    },
    // Only the existence counts here; the content is checked by whoever reads it.
    isOrphanedCopy: (folder) => readSharedLink(folder) === null && readSmallFile(join(folder, '.roux/shared.jsonl')).kind !== 'nothing',
    copy: async (url, onProgress, signal) => (await import('./copy.ts')).copy(url, { ports, onProgress, signal, openHost }),
  };
}

/** Whether the folder came with settings that need trust, which sharing it does not imply. */
function asksForTrust(folder: string, env: Readonly<Record<string, string | undefined>>): boolean {
  try {
    return loadConfig({ vaultRoot: folder, env, mayBeOthers: true }).untrusted !== undefined;
  } catch {
    // Invalid settings do not apply, but what they contain is unknown.
    return true;
  }
}

/** Trusts a folder that was just created. If that fails, the user can still run "roux trust". */
function trustCreated(folder: string): void {
  try {
    trustedFolders.addMade(folder);
  } catch {
    // Trust is not required for the folder to work.
  }
}
