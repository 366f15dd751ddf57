import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { countChanges, importInto, runImport } from './run-import.ts';
import { conversation, node, WORMS } from './samples/chatgpt.ts';

const said = (text: string) => [node('n1', null, { parts: ['How?'] }), node('n2', 'n1', { role: 'assistant', parts: [text] })];
const chat = (title: string, text: string, more: object = {}) =>
  conversation(WORMS, title, said(text), 'n2', { default_model_slug: 'm1', ...more });
const other = conversation('other-id-0001', 'Other', said('Same'), 'n2');

function write(source: TestVault, ...conversations: readonly object[]): void {
  source.write('conversations.json', JSON.stringify(conversations));
}

const PATH = 'ChatGPT/2024/Worms.md';

it('O-06 a second import changes nothing, byte for byte, wherever notes are by now and whatever people added', () =>
  withVault({}, (source) =>
    withVault({ 'Hub.md': 'See [[Worms]].\n' }, async (vault) => {
      write(source, chat('Worms', 'A box.'), other);
      await importInto(vault, source.root);
      expect((await cli(['rename', PATH, 'My worms', '--vault', vault.root])).status).toBe(0);
      const renamed = 'ChatGPT/2024/My worms.md';
      vault.write(renamed, `${vault.read(renamed)}\nMy own words, [[Other]].\n`);
      const before = vault.files().map((file) => vault.read(file));
      write(source, other, chat('Worms', 'A box.'));
      expect(await importInto(vault, source.root)).toMatchObject({ notes: [], unchanged: 2, batches: [] });
      expect(vault.files().map((file) => vault.read(file))).toEqual(before);
      expect(vault.read('Hub.md')).toBe('See [[My worms]].\n');
    }),
  ));

it('O-06 what changed at the source is brought up to date, and what is gone there stays', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      write(source, chat('Worms', 'A box.'), other);
      await importInto(vault, source.root);
      vault.write(PATH, vault.read(PATH).replace('---\nid:', '---\nmine: kept\nid:'));
      write(source, chat('Worms in boxes', 'Two boxes.', { default_model_slug: 'm2' }));
      const done = await importInto(vault, source.root);
      expect(done.notes).toMatchObject([{ path: PATH, change: 'updated', fields: ['title', 'model', 'text'] }]);
      const text = vault.read(PATH);
      expect([
        text.includes('Two boxes.'),
        text.includes('A box.'),
        text.includes('mine: kept'),
        text.includes('title: Worms in boxes'),
      ]).toEqual([true, false, true, true]);
      expect(vault.exists('ChatGPT/2024/Other.md')).toBe(true);
      expect(await importInto(vault, source.root)).toMatchObject({ notes: [], batches: [] });
      // One write, taken back whole.
      expect((await cli(['undo', done.batches[0] ?? '', '--vault', vault.root])).status).toBe(0);
      expect(vault.read(PATH)).toContain('A box.');
    }),
  ));

it('O-06 what both changed is a conflict: the note stays, it is told each time, and --force takes the source', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      write(source, chat('Worms', 'A box.'));
      await importInto(vault, source.root);
      vault.write(PATH, vault.read(PATH).replace('A box.', 'A box, of oak.').replace('model: m1', 'model: mine'));
      write(source, chat('Worms', 'Two boxes.', { default_model_slug: 'm2', is_starred: true }));
      for (const round of [1, 2]) {
        const { status, stdout, stderr } = await runImport(vault, source.root, '--yes');
        expect([round, status]).toEqual([round, 1]);
        expect(stdout).toContain('conflict  ChatGPT/2024/Worms.md  model, text changed here and at the source');
        expect(stderr).toContain('1 conflict: what is here stays. --force takes what the source has');
        expect(vault.read(PATH)).toMatch(/of oak[\s\S]*$/);
        expect(vault.read(PATH)).toContain('model: mine\n');
        // What only the source changed is there.
        expect(vault.read(PATH)).toContain('starred: true\n');
      }
      const forced = await importInto(vault, source.root, '--force');
      expect(forced.notes).toMatchObject([{ change: 'updated', fields: ['model', 'text'] }]);
      expect([vault.read(PATH).includes('Two boxes.'), vault.read(PATH).includes('model: m2')]).toEqual([true, true]);
      expect(await importInto(vault, source.root)).toMatchObject({ notes: [], unchanged: 1 });
    }),
  ));

it('O-06 a note that was deleted, or made one of the user alone, is left alone; --force brings a deleted one back', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      write(source, chat('Worms', 'A box.'), other);
      await importInto(vault, source.root);
      expect((await cli(['delete', PATH, '--vault', vault.root])).status).toBe(0);
      vault.write('ChatGPT/2024/Other.md', vault.read('ChatGPT/2024/Other.md').replace(/imported:\n(?: {2}.*\n)+/, ''));
      const again = await importInto(vault, source.root);
      expect(again.notes.map(({ change, reason }) => [change, reason])).toEqual([
        ['skipped', 'it was deleted here'],
        ['skipped', 'its "imported" was removed here'],
      ]);
      expect(vault.exists(PATH)).toBe(false);
      expect(countChanges(await importInto(vault, source.root, '--force'))).toEqual({ new: 1, skipped: 1 });
      expect(vault.exists(PATH)).toBe(true);
    }),
  ));

it('O-06 names that are taken get a mark that follows from the id: the same one in any order', () =>
  withVault({}, (source) =>
    withVault({ 'ChatGPT/2024/Worms.md': 'Mine.\n', 'Hub.md': '[[Worms]]\n' }, async (vault) => {
      const twins = ['a', 'b', 'c'].map((id) => conversation(`${id}-conversation`, 'Worms', said(id), 'n2'));
      write(source, ...twins);
      const first = await importInto(vault, source.root);
      const places = new Map(first.notes.map(({ id, path }) => [id, path]));
      expect(new Set(places.values()).size).toBe(3);
      expect([vault.read('ChatGPT/2024/Worms.md'), vault.read('Hub.md')]).toEqual(['Mine.\n', '[[Worms]]\n']);
      await withVault({ 'ChatGPT/2024/Worms.md': 'Mine.\n' }, async (second) => {
        write(source, ...twins.toReversed());
        const { notes } = await importInto(second, source.root);
        expect(new Map(notes.map(({ id, path }) => [id, path]))).toEqual(new Map([...places].toReversed()));
      });
      rmSync(vault.path('ChatGPT/2024/Worms.md'));
      expect(await importInto(vault, source.root)).toMatchObject({ notes: [], unchanged: 3 });
    }),
  ));

it('O-06 a note that was removed by hand, copied, or whose frontmatter broke makes no second one', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const third = conversation('third-id-001', 'Third', said('Same'), 'n2');
      write(source, chat('Worms', 'A box.'), other, third);
      await importInto(vault, source.root);
      const [worms, copy] = [vault.read(PATH), 'ChatGPT/2024/Worms copy.md'];
      vault.write(copy, worms);
      vault.write('ChatGPT/2024/Other.md', vault.read('ChatGPT/2024/Other.md').replace('---\n', '---\nbroken: [\n'));
      vault.remove('ChatGPT/2024/Third.md');
      write(source, chat('Worms', 'Two boxes.'), other, third);
      const { notes } = await importInto(vault, source.root);
      expect(notes.map(({ path, change, reason = '' }) => [path, change, reason])).toEqual([
        [PATH, 'updated', ''],
        ['ChatGPT/2024/Other c7050941.md', 'skipped', 'its note has no readable frontmatter here'],
        ['ChatGPT/2024/Third.md', 'skipped', 'it was deleted here'],
      ]);
      expect(vault.read(copy)).toBe(worms);
    }),
  ));

it('O-06 line ends of an editor are no change of the text', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      write(source, chat('Worms', 'A box.'));
      await importInto(vault, source.root);
      vault.write(PATH, vault.read(PATH).replaceAll('\n', '\r\n'));
      write(source, chat('Worms', 'Two boxes.'));
      expect((await importInto(vault, source.root)).notes).toMatchObject([{ change: 'updated', fields: ['text'] }]);
    }),
  ));
