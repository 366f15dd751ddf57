import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import { checkName, checkPath, isVaultPath, toNotePath } from '../../../src/note/path.ts';
import type { FileSystem } from '../../../src/store/folder/file-system.ts';
import { openRoot } from '../../../src/store/folder/held-folders.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { toStoreError, whenFree } from '../../../src/store/folder/system-error.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const failure = (code: string): Error => Object.assign(new Error(`${code}: rename`), { code });

/** A file system on which names are one when they fold to the same form, and which keeps them in that form, as HFS+ does with NFD. */
function foldsNames(real: FileSystem, fold: (path: string) => string): Partial<FileSystem> {
  return {
    stat: (path) => real.stat(fold(path)),
    hint: (path) => real.hint(fold(path)),
    read: (path, range) => real.read(fold(path), range),
    list: (folder) => real.list(fold(folder)),
    create: (path, mode) => real.create(fold(path), mode),
    makeFolder: (path, isPrivate) => real.makeFolder(fold(path), isPrivate),
    link: (from, to) => real.link(fold(from), fold(to)),
    rename: (from, to) => real.rename(fold(from), fold(to)),
    remove: (path) => real.remove(fold(path)),
  };
}

describe('O-10 rules of Windows and macOS', () => {
  it('O-10 drive letters, shares, devices, backslashes and streams are no paths of a vault', () => {
    for (const path of ['C:/x.md', 'C:x.md', '\\\\server\\share\\x.md', '//server/x.md', 'a\\b.md', '\\\\?\\C:\\x.md', 'a.md::$DATA'])
      expect([path, checkPath(path)]).not.toEqual([path, null]);
    for (const path of ['\\\\server\\share\\x.md', 'a\\b.md', '//server/x.md', 'a.md::$DATA']) expect(isVaultPath(path)).toBe(false);
  });

  it('O-10 names that Windows reserves, cuts or refuses are given to nothing', () => {
    const refused = [
      'con.md',
      'NUL',
      'aux.txt.md',
      'COM1.md',
      'com¹.md',
      'LPT9',
      'conin$.md',
      'a ',
      'a.',
      'a.md ',
      'a?.md',
      'a*.md',
      'a<b>.md',
    ];
    for (const name of [...refused, 'a"b.md', 'a|b.md', 'a:b.md', 'PROGRA~1']) expect([name, checkName(name)]).not.toEqual([name, null]);
    for (const name of ['console.md', 'com10.md', 'null.md', 'a.b.md', 'Größe.md']) expect([name, checkName(name)]).toEqual([name, null]);
  });

  it('O-10 a path beyond 260 characters is one like any other: Node asks Windows for it in the long form', () => {
    const path = `${'a folder with a long name/'.repeat(15)}note.md`;
    expect(path.length).toBeGreaterThan(260);
    expect(checkPath(path)).toBeNull();
  });

  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'O-10 %s of a rename is tried again on Windows, where a scanner has the file open for a moment',
    (code) => {
      let calls = 0;
      const act = (): string => {
        calls += 1;
        if (calls < 3) throw failure(code);
        return 'done';
      };
      expect(whenFree(act, 'win32')).toBe('done');
      expect(calls).toBe(3);
      calls = 0;
      expect(() => whenFree(act, 'linux')).toThrow(code);
      expect(calls).toBe(1);
    },
  );

  it('O-10 a file that stays open elsewhere is told, and nothing else is tried again', () => {
    let calls = 0;
    const act = (code: string) => (): never => {
      calls += 1;
      throw failure(code);
    };
    expect(() => whenFree(act('EBUSY'), 'win32')).toThrow('EBUSY');
    expect(calls).toBe(6);
    calls = 0;
    expect(() => whenFree(act('ENOENT'), 'win32')).toThrow('ENOENT');
    expect(calls).toBe(1);
    const told = toStoreError(Object.assign(failure('EBUSY'), { path: 'a.md' }));
    expect(told).toBeInstanceOf(RouxError);
    expect(told).toMatchObject({
      code: 'IO_ERROR',
      retryable: true,
      message: expect.stringContaining('a.md is in use by another program') as string,
    });
  });

  it.each([
    ['NFD, as on HFS+', (path: string) => path.normalize('NFD')],
    ['lower case', (path: string) => (path.startsWith('.') ? path : path.toLowerCase())],
  ])('O-10 a disk that gives names back in another form: %s', (_form, fold) =>
    withVault({}, (files) => {
      files.write(fold('Größe.md'), '# one\n');
      return withOpen(
        files.root,
        async (vault) => {
          const open = vault.graph.lookup('Größe');
          expect(open.kind).toBe('found');
          const path = toNotePath('Über.md')!;
          await vault.writes.write({ operation: 'test', agent: 'ada' }, () => ({ files: [{ kind: 'create', path, text: '[[Größe]]\n' }] }));
          await vault.refresh('strict');
          await vault.refresh('strict');
          // One note, whichever of the names is known.
          expect(vault.graph.size).toBe(2);
          expect(vault.graph.lookup('Über').kind).toBe('found');
          expect(vault.graph.backlinks(fold('Größe.md'))).toHaveLength(1);
          expect((await vault.notes.read(path))?.note.text).toBe('[[Größe]]\n');
          renameSync(files.path(fold('Über.md')), files.path(fold('Älter.md')));
          await waitFor(() => vault.graph.lookup('Älter').kind === 'found', { what: 'the rename' });
          expect(vault.health.warnings()).toEqual([]);
          expect((await vault.health.verify({ rebuild: true })).drift).toEqual([]);
        },
        { openFileSystem: (root) => wrapFiles(openNodeFileSystem(root, openRoot(root, 'names')), (real) => foldsNames(real, fold)) },
      );
    }),
  );
});
