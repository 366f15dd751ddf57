import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '../../../src/note/frontmatter/read-frontmatter.ts';
import { sample } from '../../support/effort.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { vaultsInTurn } from '../../support/vaults.ts';

/** What a write by roux may add to a note that people wrote, beside the property that was asked for. */
const own = /^(?:---|properties:|rev: \d+|updated_at: .+)\r?$/;
const bookkeeping = /^(?:rev|updated_at): .*\r?\n/gm;

/** Of large vaults, one of every so many notes. */
const every: Readonly<Record<string, number>> = {
  kepano: 16,
  'obsidian-help-en': 48,
  'obsidian-help-zh': 48,
  'obsidian-developer-docs': 240,
};

const isReadable = (text: string): boolean => readFrontmatter(text).isReadable;

describe('notes as people and programs write them', () => {
  for (const { name, root, isThere } of vaultsInTurn(1)) {
    it.skipIf(!isThere)(
      `F34 ${name}: a property set through the server adds its own lines and touches no other, and removed again leaves the bytes as they were`,
      () =>
        withVault(root, (vault) =>
          withServer(vault, async ({ ask }) => {
            const notes = vault.files().filter((file) => file.endsWith('.md') && isReadable(vault.read(file)));
            for (const path of sample(notes, every[name] ?? 2)) {
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
        ),
    );
  }

  it('F35 of a small vault those whose frontmatter cannot be read are refused, and stay as they are', () =>
    withVault('library', (vault) =>
      withServer(vault, async ({ refuse }) => {
        const broken = vault.files().filter((file) => file.endsWith('.md') && !isReadable(vault.read(file)));
        expect(broken).toEqual(['Odd/broken.md', 'Odd/tabs.md', 'Odd/twice.md']);
        for (const path of broken) {
          const before = vault.readBytes(path);
          expect((await refuse('update_node', { id: path, properties: { probed: 'x' } })).error.code, path).toBe('INVALID_FRONTMATTER');
          expect(vault.readBytes(path)).toEqual(before);
        }
      }),
    ));
});
