import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderKey } from '../../src/system/folder-key.ts';
import { userStateFolder } from '../../src/system/user-folders.ts';
import { openVaultSockets } from '../../src/system/vault-sockets.ts';
import { withVault } from '../support/vault.ts';

const process = (name: string) => ({ name, liveness: () => 'dead' as const });

it.skipIf(globalThis.process.platform === 'win32')(
  'V-08 a reservation whose process was killed holds nobody up, and its file goes with a later socket',
  () =>
    withVault({}, async (vault) => {
      const sockets = openVaultSockets(vault.root);
      if (sockets === null) throw new Error('There are no sockets here.');
      const folder = join(userStateFolder(), 'sockets', folderKey(vault.root).slice(0, 20));
      expect(sockets.reserve(1, { self: process('killed'), gone: [] })).not.toBeNull();
      expect(sockets.reserve(1, { self: process('next'), gone: [] })).not.toBeNull();
      const first = await sockets.listen(1);
      expect(readdirSync(folder).sort()).toEqual(['1', 'next-1']);
      expect(sockets.reserve(1, { self: process('late'), gone: [] })).toBeNull();
      expect(sockets.reserve(2, { self: process('killed'), gone: [] })).not.toBeNull();
      const second = await sockets.listen(3);
      expect(readdirSync(folder).sort()).toEqual(['1', '3']);
      for (const socket of [first, second]) socket?.close();
    }),
);
