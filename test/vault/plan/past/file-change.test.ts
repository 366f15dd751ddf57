import { expect, it } from 'vitest';
import { MAX_FILE_BYTES, hashOf } from '../../../../src/store/folder/hash.ts';
import type { StoredFile } from '../../../../src/store/store.ts';
import { changeFor, creationOf, wholeSplice } from '../../../../src/vault/plan/file-change.ts';

const like = { mode: 0o600, uid: 1, gid: 2 };
const text = Buffer.from('Té\n');
const binary = Buffer.from([0xff, 0x41]);

it('X-15 a file comes back as text if it is a note in UTF-8, else as bytes, however large it was', () => {
  expect(creationOf('a.md', { bytes: text, like })).toEqual({ kind: 'create', path: 'a.md', text: 'Té\n', like });
  expect(creationOf('a.md', { bytes: text })).toEqual({ kind: 'create', path: 'a.md', text: 'Té\n' });
  for (const [path, bytes] of [['a.md', binary] as const, ['a.png', text] as const]) {
    expect(creationOf(path, { bytes, like })).toEqual({ kind: 'create-bytes', path, base64: bytes.toString('base64'), like });
    expect(creationOf(path, { bytes })).toEqual({ kind: 'create-bytes', path, base64: bytes.toString('base64') });
  }
  const large = Buffer.alloc(MAX_FILE_BYTES + 1, 'x');
  expect(creationOf('a.md', { bytes: large.subarray(1) }).kind).toBe('create');
  const back = creationOf('a.md', { bytes: large, like });
  expect({ ...back, bytes: null }).toEqual({ kind: 'bring-back', path: 'a.md', bytes: null, like });
  expect(Object.keys(creationOf('a.md', { bytes: large }))).toEqual(['kind', 'path', 'bytes']);
});

it('F14 a file that is no note is replaced whole, from these bytes alone', () => {
  expect(wholeSplice('a.canvas', text, Buffer.from('{}'))).toEqual({
    kind: 'splice',
    path: 'a.canvas',
    hash: hashOf(text),
    splices: [{ start: 0, end: 3, text: '{}' }],
  });
});

it('F28 what is left of an unfinished write becomes a plan that expects the bytes from before', async () => {
  const read = (path: string) => Promise.resolve(path === 'gone.canvas' ? null : ({ bytes: text } as StoredFile));
  const planned = (left: Parameters<typeof changeFor>[0]) => changeFor(left, { read });
  expect(await planned({ kind: 'create', path: 'a.md', bytes: text })).toEqual({ kind: 'create', path: 'a.md', text: 'Té\n' });
  expect(await planned({ kind: 'replace', path: 'a.md', before: 'h', bytes: text })).toEqual({
    kind: 'change',
    path: 'a.md',
    changes: [{ op: 'text', text: 'Té\n' }],
    expect: { etag: 'h' },
  });
  expect(await planned({ kind: 'replace', path: 'a.canvas', before: 'h', bytes: binary })).toEqual(wholeSplice('a.canvas', text, binary));
  expect(await planned({ kind: 'replace', path: 'gone.canvas', before: 'h', bytes: text })).toEqual(
    wholeSplice('gone.canvas', Buffer.alloc(0), text),
  );
  const move = { kind: 'move', from: 'a.md', to: 'b.md' } as const;
  expect(await planned({ ...move, before: 'h', bytes: null })).toEqual({ ...move, changes: [], expect: { etag: 'h' } });
  expect(await planned({ ...move, before: 'h', bytes: text })).toEqual({
    ...move,
    changes: [{ op: 'text', text: 'Té\n' }],
    expect: { etag: 'h' },
  });
  expect(await planned({ kind: 'remove', path: 'a.md', before: 'h' })).toEqual({
    kind: 'remove',
    path: 'a.md',
    to: 'trash',
    expect: { etag: 'h' },
  });
});
