import { join } from 'node:path';
import type { Sharing } from '../faces/sharing.ts';
import { readSmallFile } from '../small-file.ts';
import { readSharedLink } from '../system/shared-link.ts';
import { systemPorts } from '../system/system-ports.ts';
import type { OpenProgramHost } from './copy.ts';

/**
 * What the command line does about shared vaults. Each is loaded when it is asked for, and nothing of it where a folder follows none.
 * `openHost`: how the program opens a vault.
 */
export function openSharing({ openHost }: { readonly openHost: OpenProgramHost }): Sharing {
  const ports = systemPorts();
  return {
    share: async (folder, url, onProgress) => (await import('./share.ts')).share(folder, url, { ports, onProgress }),
    clone: async (url, to, onProgress) => (await import('./clone.ts')).clone(url, to, { ports, onProgress }),
    unshare: async (folder, options) => (await import('./unshare.ts')).unshare(folder, options, ports),
    async status(folder, onProgress) {
      const link = readSharedLink(folder);
      return link === null ? null : (await import('./status.ts')).status(folder, link, { ports, onProgress });
    },
    async prune(folder, keepDays) {
      const link = readSharedLink(folder);
      return link === null ? null : (await import('./prune.ts')).prune(link, keepDays, ports);
    },
    // Whatever it says: whoever reads it looks into it.
    isStray: (folder) => readSharedLink(folder) === null && readSmallFile(join(folder, '.roux/shared.jsonl')).kind !== 'nothing',
    copy: async (url, onProgress, signal) => (await import('./copy.ts')).copy(url, { ports, onProgress, signal, openHost }),
  };
}
