import { describe, expect, it } from 'vitest';
import { deviceOf, followLink, identityOf, listFolder } from '../../../../src/vault/sync/list-folder.ts';
import type { FolderListing } from '../../../../src/vault/sync/list-folder.ts';
import { memoryFolder } from './memory-folder.ts';

const listing = (files: ReturnType<typeof memoryFolder>, folder = ''): FolderListing => {
  const look = listFolder(files, folder);
  if (look.kind !== 'folder') throw new Error(look.kind);
  return look;
};

describe('listing a folder', () => {
  it('sorts each name by what it is', () => {
    const files = memoryFolder({ 'a.md': '', 'b.png': '', '.hidden.md': '', 'sub/c.md': '', 'folder.md/d.md': '' });
    files.set('link.md', { kind: 'link' });
    files.set('pipe.md', { kind: 'other' });
    files.set('pipe', { kind: 'other' });
    expect(listing(files)).toEqual({
      kind: 'folder',
      identity: '1:1:1000000',
      changedNs: 1n,
      notes: ['a.md'],
      attachments: ['b.png'],
      folders: ['folder.md', 'sub'],
      links: ['link.md'],
      skipped: [
        { name: 'folder.md', reason: 'is a folder, not a note' },
        { name: 'pipe.md', reason: 'is a pipe, socket or device, not a file' },
      ],
    });
  });

  it('names what would be a note or a folder of notes but has a name that cannot be served', () => {
    const files = memoryFolder({ 'a\\b.md': '', 'a\\b.png': '', 'bad\uFFFD.md': '', 'a.md::$DATA': '', 'git~1/a.md': '' });
    files.set('c\\d', { kind: 'folder' });
    const encoding = 'has a name that is not UTF-8 or holds control characters or a backslash';
    const disguised = 'has a name that some file systems read as that of a hidden folder or of another file';
    expect(listing(files)).toMatchObject({
      notes: [],
      attachments: [],
      folders: [],
      skipped: [
        { name: 'a\\b.md', reason: encoding },
        { name: 'bad\uFFFD.md', reason: encoding },
        { name: 'c\\d', reason: encoding },
        { name: 'git~1', reason: disguised },
      ],
    });
  });

  it('goes no deeper than roux does', () => {
    const deep = Array.from({ length: 100 }, () => 'a').join('/');
    const files = memoryFolder({ [`${deep}/in.md`]: '', [`${deep}/sub/out.md`]: '' });
    expect(listing(files, deep)).toMatchObject({ notes: ['in.md'], skipped: [] });
    expect(listing(files, `${deep}/sub`)).toMatchObject({
      notes: [],
      skipped: [{ name: 'out.md', reason: 'lies deeper, or under a longer path, than roux goes' }],
    });
  });

  it('tells a folder that is gone from one that cannot be listed', () => {
    const files = memoryFolder({ 'a.md': '', 'sub/b.md': '' });
    expect(listFolder(files, 'missing')).toEqual({ kind: 'gone' });
    expect(listFolder(files, 'a.md')).toEqual({ kind: 'gone' });
    files.failing = (call) => (call === 'list sub' ? new Error('EACCES') : null);
    expect(listFolder(files, 'sub')).toEqual({ kind: 'unreadable', reason: 'EACCES' });
  });

  it('the identity of a folder is its device, inode and birth', () => {
    const state = memoryFolder().stat('')!;
    expect(identityOf({ ...state, dev: 7n, ino: 8n, birthNs: 9n })).toBe('7:8:9');
    expect(deviceOf('7:8:9')).toBe('7');
  });
});

describe('following a link', () => {
  const inside = (path: string) => ({ kind: 'link', leadsTo: { kind: 'inside', path } }) as const;

  it('leads to a file of the same sort inside of the vault', () => {
    const files = memoryFolder({ 'sub/a.md': '', 'b.png': '' });
    files.set('link.md', inside('sub/a.md'));
    files.set('link.png', inside('b.png'));
    expect(followLink(files, 'link.md')).toEqual({ kind: 'file', path: 'sub/a.md' });
    expect(followLink(files, 'link.png')).toEqual({ kind: 'file', path: 'b.png' });
  });

  it('leads nowhere else, and says why', () => {
    const files = memoryFolder({ 'a.md': '', 'b.png': '', 'sub/c.md': '', 'sub/.hidden/d.md': '' });
    files.set('pipe.md', { kind: 'other' });
    const folder = 'is a symbolic link to a folder of this vault';
    for (const [leadsTo, reason] of [
      [{ kind: 'nothing' }, 'is a symbolic link to nothing'],
      [{ kind: 'loop' }, 'is a symbolic link that leads to itself'],
      [{ kind: 'outside' }, 'is a symbolic link out of the vault'],
      [{ kind: 'inside', path: '' }, folder],
      [{ kind: 'inside', path: 'sub' }, folder],
      [{ kind: 'inside', path: 'sub/.hidden/d.md' }, 'is a symbolic link to a name that roux does not read'],
      [{ kind: 'inside', path: 'pipe.md' }, 'is a symbolic link to something that is no file'],
      [{ kind: 'inside', path: 'b.png' }, 'is a symbolic link between a note and another file'],
    ] as const) {
      files.set('link.md', { kind: 'link', leadsTo });
      expect(followLink(files, 'link.md')).toEqual({ kind: 'skipped', reason });
    }
    files.set('link.md', inside('a.md'));
    files.failing = () => new Error('ELOOP');
    expect(followLink(files, 'link.md')).toEqual({ kind: 'skipped', reason: 'is a symbolic link that cannot be followed (ELOOP)' });
  });
});
