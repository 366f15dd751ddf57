import { join } from 'node:path';
import type { Sharing } from '../faces/sharing.ts';
import { readSmallFile } from '../small-file.ts';
import { loadConfig } from '../system/load-config.ts';
import { readSharedLink } from '../system/shared-link.ts';
import { systemPorts } from '../system/system-ports.ts';
import { requireOwnFolder, trustedFolders } from '../system/trusted-folders.ts';
import type { OpenProgramHost } from './copy.ts';

/**
 * What the command line does about shared vaults. Each is loaded when it is asked for, and nothing of it where a folder follows none.
 * `openHost`: how the program opens a vault; `mayBeOthers`: folders of another user's are worked on, too.
 */
export function openSharing({
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
      if (outcome.state === 'done' && !asksForTrust(folder, env)) trustMade(folder);
      return outcome;
    },
    async clone(url, to, onProgress) {
      if (to.folder !== null) mustBeOwn(to.folder);
      const outcome = await (await import('./clone.ts')).clone(url, to, { ports, onProgress });
      if (outcome.state === 'done') trustMade(outcome.folder);
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
    // Whatever it says: whoever reads it looks into it.
    isStray: (folder) => readSharedLink(folder) === null && readSmallFile(join(folder, '.roux/shared.jsonl')).kind !== 'nothing',
    copy: async (url, onProgress, signal) => (await import('./copy.ts')).copy(url, { ports, onProgress, signal, openHost }),
  };
}

/** Whether the folder came with settings that count only once somebody trusts it: sharing it says nothing of them. */
function asksForTrust(folder: string, env: Readonly<Record<string, string | undefined>>): boolean {
  try {
    return loadConfig({ vaultRoot: folder, env, mayBeOthers: true }).untrusted !== undefined;
  } catch {
    // Settings that cannot be read apply nowhere; what they ask for is not known.
    return true;
  }
}

/** Trusts a folder that was just made; where that cannot be remembered, "roux trust" is still there. */
function trustMade(folder: string): void {
  try {
    trustedFolders.addMade(folder);
  } catch {
    // The folder is made all the same.
  }
}
