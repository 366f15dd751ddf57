import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliProcess } from '../support/program/cli.ts';
import { withMcp } from '../support/program/mcp-client.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';
import { turnAt } from '../support/effort.ts';

const LINKING = `${'Words of a note that an editor saves in place.\n'.repeat(40)}See [[Old name]] and [[Other]].\n`;

/** Saves a note as editors do in place: emptied, then written in two parts, with what happens in between. */
async function saveInPlace(
  vault: TestVault,
  file: string,
  steps: { readonly shown: string; readonly whole: string; meanwhile(): Promise<void> },
) {
  const descriptor = openSync(vault.path(file), 'w');
  try {
    writeSync(descriptor, steps.shown);
    fsyncSync(descriptor);
    await steps.meanwhile();
    // The editor has the file open, or opens it again by its name: either way the rest is written now.
    writeSync(descriptor, steps.whole.slice(steps.shown.length));
  } finally {
    closeSync(descriptor);
  }
}

const SHOWN = [
  { what: 'half of it', shown: LINKING.slice(0, LINKING.length / 2) },
  { what: 'all but its last line', shown: LINKING.slice(0, LINKING.indexOf('See')) },
  { what: 'nothing of it', shown: '' },
];

describe('H-14 a rename while the linking note is being saved', () => {
  it.each(turnAt(0, SHOWN))('is seen with $what: the answer names it, and its link follows', ({ shown }) =>
    withVault({ 'Old name.md': 'text\n', 'Other.md': 'text\n', 'linking.md': LINKING }, (vault) =>
      withMcp(vault, async ({ ask }) => {
        await ask('get_node', { id: 'linking.md' });
        let answer: { _warnings?: readonly string[] } = {};
        await saveInPlace(vault, 'linking.md', {
          shown,
          whole: LINKING,
          async meanwhile() {
            // The server has seen the half of the save.
            await waitFor(async () => !JSON.stringify(await ask('get_neighbors', { id: 'Old name.md' })).includes('linking'), {
              what: 'the half of the save',
            });
            answer = await ask('rename', { changes: [{ from: 'Old name.md', to: 'New name' }] });
          },
        });
        expect(vault.exists('New name.md')).toBe(true);
        expect(JSON.stringify(answer._warnings)).toContain('linking.md');
        await waitFor(() => vault.read('linking.md').includes('[[New name]] and [[Other]]'), {
          what: 'the rewriting of the link',
        });
        expect(vault.read('linking.md')).toBe(LINKING.replace('Old name', 'New name'));
      }),
    ),
  );

  it('at once, before the server knows of the save: the link follows, or the answer names the note', () =>
    withVault({ 'Old name.md': 'text\n', 'Other.md': 'text\n', 'linking.md': LINKING }, (vault) =>
      withMcp(vault, async ({ ask }) => {
        await ask('get_node', { id: 'linking.md' });
        let answer: { _warnings?: readonly string[] } = {};
        await saveInPlace(vault, 'linking.md', {
          shown: SHOWN[0]?.shown ?? '',
          whole: LINKING,
          async meanwhile() {
            answer = await ask('rename', { changes: [{ from: 'Old name.md', to: 'New name' }] });
          },
        });
        const isNamed = JSON.stringify(answer._warnings ?? []).includes('linking.md');
        expect(isNamed || vault.read('linking.md').includes('[[New name]]')).toBe(true);
        await waitFor(() => vault.read('linking.md').includes('[[New name]]'), { what: 'the rewriting of the link' });
      }),
    ));

  it('by a command, which is gone when the save ends: its answer names the note', () =>
    withVault({ 'Old name.md': 'text\n', 'Other.md': 'text\n', 'linking.md': LINKING }, async (vault) => {
      // What the last start remembered is what the note held.
      await withMcp(vault, async ({ ask }) => void (await ask('get_node', { id: 'linking.md' })));
      let said = '';
      await saveInPlace(vault, 'linking.md', {
        shown: SHOWN[1]?.shown ?? '',
        whole: LINKING,
        async meanwhile() {
          const { stdout, stderr } = await cliProcess(['rename', 'Old name', 'New name', '--vault', vault.root]);
          said = stdout + stderr;
        },
      });
      expect(said).toContain('linking.md');
    }));

  it('a link that a person took out long before is named by nobody', () =>
    withVault({ 'Old name.md': 'text\n', 'linking.md': LINKING }, (vault) =>
      withMcp(vault, async ({ ask }) => {
        await ask('get_node', { id: 'linking.md' });
        vault.write('aside.md', 'no link\n');
        renameSync(vault.path('aside.md'), vault.path('linking.md'));
        await waitFor(async () => (await ask('get_node', { id: 'linking.md' }))?.content?.includes('no link') !== false, {
          what: 'the save',
        });
        await new Promise((resolve) => setTimeout(resolve, 5_500));
        const answer = await ask('rename', { changes: [{ from: 'Old name.md', to: 'New name' }] });
        expect(answer._warnings ?? []).toEqual([]);
      }),
    ));
});
