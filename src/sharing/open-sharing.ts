import type { Sharing } from '../faces/sharing.ts';
import { openNodeFileSystem } from '../store/folder/node-file-system.ts';
import { findRoot } from '../store/folder/root.ts';
import { readStanding } from '../store/shared/standing.ts';
import { readSharedLink } from '../system/shared-link.ts';
import { systemPorts } from '../system/system-ports.ts';
import { clone } from './clone.ts';
import { copy } from './copy.ts';
import type { OpenProgramHost } from './copy.ts';
import { share } from './share.ts';
import { status } from './status.ts';
import { unshare } from './unshare.ts';

/** What the command line does about shared vaults. `openHost`: how the program opens a vault. */
export function openSharing({ openHost }: { readonly openHost: OpenProgramHost }): Sharing {
  const ports = systemPorts();
  return {
    share: (folder, url, onProgress) => share(folder, url, { ports, onProgress }),
    clone: (url, to, onProgress) => clone(url, to, { ports, onProgress }),
    unshare: (folder, options) => unshare(folder, options, ports),
    status: (folder, onProgress) => status(folder, { ports, onProgress }),
    isStray(folder) {
      const root = findRoot(folder);
      return readSharedLink(root) === null && readStanding(openNodeFileSystem(root)) !== null;
    },
    copy: (url, onProgress, signal) => copy(url, { ports, onProgress, signal, openHost }),
  };
}
