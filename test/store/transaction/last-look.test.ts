import { closeSync, openSync, renameSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { toNotePath } from '../../../src/note/path.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import type { FileState, FileSystem } from '../../../src/store/folder/file-system.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import type { TestWriter } from '../../support/open-test-writer.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };

/** A writer whose calls of the file system a person comes in between. */
function writerWith(vault: TestVault, person: (files: FileSystem) => Partial<FileSystem>): TestWriter {
  return openTestWriter({ root: vault.root, files: wrapFiles(openNodeFileSystem(vault.root), person) });
}

const addLine = (path: string, line: string) => {
  const known = toNotePath(path);
  if (known === null) throw new Error('path');
  return { files: [{ kind: 'change' as const, path: known, changes: [{ op: 'add-line' as const, section: 'Observations', line }] }] };
};
const replaceBody = (path: string, text: string) => {
  const known = toNotePath(path);
  if (known === null) throw new Error('path');
  return { files: [{ kind: 'change' as const, path: known, changes: [{ op: 'body' as const, text }] }] };
};

describe('a person who saves at the last moment', () => {
  it('F10 by a new file, after the old one was linked and before the new one takes its name: the line is added to what was saved', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      let saves = 0;
      const writer = writerWith(vault, (real) => ({
        link(from, to) {
          real.link(from, to);
          if (from !== 'a.md' || saves > 0) return;
          saves++;
          writeFileSync(vault.path('.saving'), 'A by a person\n');
          renameSync(vault.path('.saving'), vault.path('a.md'));
        },
      }));
      await writer.write(meta, () => addLine('a.md', 'mine'));
      expect(saves).toBe(1);
      expect(vault.read('a.md')).toBe('A by a person\n\n## Observations\n\n- mine\n');
      await writer.close();
      expect(vault.files()).toEqual(['a.md']);
    }));

  it('F10 likewise where the change cannot be made again: what was saved stays, and the write is refused or kept beside it', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      let saves = 0;
      const writer = writerWith(vault, (real) => ({
        link(from, to) {
          real.link(from, to);
          if (from !== 'a.md' || saves > 0) return;
          saves++;
          writeFileSync(vault.path('.saving'), 'A by a person\n');
          renameSync(vault.path('.saving'), vault.path('a.md'));
        },
      }));
      await writer.write(meta, () => replaceBody('a.md', 'B\n')).catch(() => undefined);
      expect(saves).toBe(1);
      expect(vault.files().map((file) => vault.read(file))).toContain('A by a person\n');
      await writer.close();
    }));

  for (const age of ['a moment ago', 'long before'] as const) {
    it(`F19 F24 between the plan and the swap, by a text as long as that of ${age} and with its time: nothing is overwritten`, () =>
      withVault({ 'a.md': 'A\n', 'b.md': 'A\n' }, async (vault) => {
        if (age === 'long before') await setTimeout(100);
        let saves = 0;
        const writer = writerWith(vault, (real) => ({
          create(path, mode) {
            if (path.startsWith('.roux/journal/') && saves++ === 0) {
              for (const note of ['a.md', 'b.md'].map((name) => vault.path(name))) {
                const { atime, mtime } = statSync(note);
                writeFileSync(note, 'B\n');
                utimesSync(note, atime, mtime);
              }
            }
            return real.create(path, mode);
          },
        }));
        await writer.write(meta, () => addLine('a.md', 'mine'));
        expect(vault.read('a.md')).toBe('B\n\n## Observations\n\n- mine\n');
        writeFileSync(vault.path('b.md'), 'A\n');
        if (age === 'long before') await setTimeout(100);
        saves = 0;
        await expect(writer.write(meta, () => replaceBody('b.md', 'mine\n'))).rejects.toMatchObject({ code: 'CONFLICT' });
        expect(vault.read('b.md')).toBe('B\n');
        await writer.close();
      }));
  }

  it('F19 F24 between the plan and the swap, with nothing in the state of the file that shows it: nothing is overwritten', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      await setTimeout(100);
      let before: FileState | null = null;
      let readsBeforeSwap = 0;
      const writer = writerWith(vault, (real) => ({
        create(path, mode) {
          if (path.startsWith('.roux/journal/') && before === null) {
            before = real.stat('a.md');
            writeFileSync(vault.path('a.md'), 'B\n');
          }
          return real.create(path, mode);
        },
        stat(path) {
          const state = real.stat(path);
          // As on a file system without change times, whose clock is set back.
          return path === 'a.md' && before !== null && state?.ino === before.ino ? before : state;
        },
        read(path, options) {
          if (path === 'a.md' && before !== null && real.stat(path)?.ino === before.ino) readsBeforeSwap++;
          return real.read(path, options);
        },
      }));
      await writer.write(meta, () => addLine('a.md', 'mine'));
      expect(readsBeforeSwap).toBe(0);
      expect(vault.read('a.md')).toBe('B\n\n## Observations\n\n- mine\n');
      await writer.close();
    }));

  for (const save of ['in place', 'by a new file'] as const) {
    it(`S2-50 undo of a line that was added to what was saved meanwhile ${save} gives back what was saved`, () =>
      withVault({ 'a.md': 'A\n', 'b.md': 'B\n' }, async (vault) => {
        let saves = 0;
        const writer = writerWith(vault, (real) => ({
          link(from, to) {
            if (save === 'by a new file') real.link(from, to);
            if (from === 'a.md' && saves === 0) {
              saves++;
              if (save === 'by a new file') {
                writeFileSync(vault.path('.saving'), 'A by a person\n');
                renameSync(vault.path('.saving'), vault.path('a.md'));
              } else writeFileSync(vault.path('a.md'), 'A by a person\n');
            }
            if (save === 'in place') real.link(from, to);
          },
        }));
        const { batch } = await writer.write(meta, () => ({
          files: [...addLine('a.md', 'mine').files, ...replaceBody('b.md', 'B2\n').files],
        }));
        expect([saves, vault.read('a.md')]).toEqual([1, 'A by a person\n\n## Observations\n\n- mine\n']);
        await writer.undo(meta, { batch: batch ?? '' });
        expect([vault.read('a.md'), vault.read('b.md')]).toEqual(['A by a person\n', 'B\n']);
        await writer.close();
      }));
  }

  it('S2-50 undo gives back what was there, though a person wrote into that very file in the instant of the swap', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      let saves = 0;
      const writer = writerWith(vault, (real) => ({
        link(from, to) {
          real.link(from, to);
          if (from === 'a.md' && saves++ === 0) writeFileSync(vault.path('a.md'), 'A by a person\n');
        },
      }));
      const { batch } = await writer.write(meta, () => replaceBody('a.md', 'B\n'));
      expect([saves, vault.read('a.md')]).toEqual([1, 'B\n']);
      await writer.close();
      const copy = vault.files().find((file) => file.includes('.sync-conflict-')) ?? '';
      expect(vault.read(copy)).toBe('A by a person\n');
      const later = openTestWriter({ root: vault.root });
      await later.undo(meta, { batch: batch ?? '' });
      await later.close();
      expect([vault.read('a.md'), vault.read(copy)]).toEqual(['A\n', 'A by a person\n']);
    }));

  it('F56 an editor that still writes into the displaced file after the answer: its text is kept as a conflict copy, and told', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServer(vault, async (session) => {
        expect((await session.ask('get_node', { id: 'a.md' })).content).toBe('A\n');
        // An editor that opened the file before, and saves in place when roux has answered already.
        const editor = openSync(vault.path('a.md'), 'r+');
        await session.ask('update_node', { id: 'a.md', content: 'By an agent\n' });
        writeSync(editor, Buffer.from('By an editor, late\n'), 0, undefined, 0);
        closeSync(editor);
        const copy = await waitFor(() => vault.files().find((file) => file.includes('.sync-conflict-')), { what: 'the conflict copy' });
        expect(vault.read(copy)).toBe('By an editor, late\n');
        expect(vault.read('a.md')).toContain('By an agent\n');
        const told = await waitFor(async () => {
          const text = (await session.call('search', { query: 'agent' })).texts.join('\n');
          return text.includes(copy) ? text : null;
        });
        expect(told).toContain('saved by another program while roux wrote it');
        expect((await session.call('search', { query: 'agent' })).texts.join('\n')).not.toContain('saved by another program');
        // What undo needs is there again.
        await waitFor(async () => (await cli(['fsck', vault.root])).status === 0, { what: 'a whole vault' });
        expect((await cli(['undo', '--by', 'roux-test', '--vault', vault.root])).status).toBe(0);
        expect(vault.read('a.md')).toBe('A\n');
      }),
    ));
});
