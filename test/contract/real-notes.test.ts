import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withServer } from '../support/mcp-server.ts';
import { hasSharedVaults, sharedVaults, withVault } from '../support/vault.ts';

/** What a write by roux may add to a note that people wrote, beside the property that was asked for. */
const own = /^(?:---|properties:|rev: \d+|updated_at: .+)\r?$/;
const bookkeeping = /^(?:rev|updated_at): .*\r?\n/gm;

describe.skipIf(!hasSharedVaults)('notes of real vaults', () => {
  // Every so many notes: all of the small vault, a part of the large ones. `ROUX_EVERY_NOTE=1` takes all.
  for (const [name, step] of Object.entries({ kepano: 2, 'obsidian-help-en': 6, 'obsidian-help-zh': 6, 'obsidian-developer-docs': 40 })) {
    it(`F34 ${name}: a property set through the server adds its own lines and touches no other, and removed again leaves the bytes as they were`, () =>
      withVault(join(sharedVaults, name), (vault) =>
        withServer(vault, async ({ ask }) => {
          const notes = vault.files().filter((file) => file.endsWith('.md'));
          const every = process.env['ROUX_EVERY_NOTE'] === undefined ? step : 1;
          for (const path of notes.filter((_, index) => index % every === 0)) {
            chmodSync(vault.path(path), 0o644);
            const before = vault.readBytes(path).toString('latin1');
            await ask('update_node', { id: path, properties: { probed: 'x y' } });
            const rest = before.split('\n');
            const added = vault
              .readBytes(path)
              .toString('latin1')
              .split('\n')
              .filter((line) => (line === rest[0] ? rest.shift() === undefined : true));
            expect(rest, path).toEqual([]);
            expect(
              added.filter((line) => !own.test(line)).map((line) => line.trim()),
              path,
            ).toEqual(['probed: x y']);

            await ask('update_node', { id: path, properties: { probed: null } });
            const back = vault.readBytes(path).toString('latin1').replaceAll(bookkeeping, '');
            const plain = before.replaceAll(bookkeeping, '');
            expect([plain, `---\n---\n${plain}`], path).toContain(back);
          }
        }),
      ));
  }
});
