import { expect, it } from 'vitest';
import type { NoteChange } from '../../../src/note/change.ts';
import { hashOf } from '../../../src/store/folder/hash.ts';
import { reapplyChanges, revIn, textAfter, textToChange } from '../../../src/vault/plan/note-text.ts';

it('F10 bytes that are no UTF-8, or would be written back otherwise, are not changed', () => {
  expect(textToChange('a.md', Buffer.from('Té\n'))).toBe('Té\n');
  for (const bytes of [Buffer.from([0x41, 0xff]), Buffer.from('Té', 'utf16le'), Buffer.from([0xff, 0xfe, 0x41, 0x00])])
    expect(() => textToChange('a.md', bytes)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS', details: { path: 'a.md' } }));
});

it('F14 the revision of a text is the one in its frontmatter', () => {
  expect([revIn('---\nrev: 3\n---\n'), revIn('rev: 3\n'), revIn('---\nx: 1\n---\n')]).toEqual([3, null, null]);
});

it('F06 after a crash what is added is added once, else as often as it is asked for', () => {
  const again = (changes: readonly NoteChange[], text: string, isRepeat: boolean) =>
    reapplyChanges({ path: 'a.md', bytes: Buffer.from(text), changes, isRepeat })?.toString() ?? null;
  const line: NoteChange = { op: 'add-line', section: 'Observations', line: 'one' };
  const observed = '## Observations\n\n- one\n';
  expect([again([line], observed, true), again([line], observed, false)]).toEqual([null, `${observed}- one\n`]);
  const tag: NoteChange = { op: 'append', key: ['x'], value: 1 };
  const listed = '---\nx: [1]\n---\n';
  expect([again([tag], listed, true), again([tag], listed, false)]).toEqual([null, '---\nx: [1, 1]\n---\n']);
  const insert: NoteChange = {
    op: 'patch',
    parts: [{ kind: 'insert', at: 'end', text: 'new', under: null, makes: false, isAbove: false }],
  };
  expect([again([insert], 'old\nnew\n', true), again([insert], 'old\nnew\n', false)]).toEqual([null, 'old\nnew\nnew\n']);
  const set: NoteChange = { op: 'set', key: ['x'], value: 2 };
  expect([again([set], '---\nx: 1\n---\n', true), again([set], '---\nx: 2\n---\n', true)]).toEqual(['---\nx: 2\n---\n', null]);
});

it('X-08 the text that a step left is known if its changes lead there', () => {
  const [before, after] = ['---\nx: 1\n---\n', '---\nx: 2\n---\n'];
  const left = (changes: readonly NoteChange[] | null, of: string, hash: string) =>
    textAfter({ kind: 'replace', path: 'a.md', before: '', after: hash, changes, isCommutative: true }, 'a.md', Buffer.from(of));
  const set: NoteChange = { op: 'set', key: ['x'], value: 2 };
  expect(left([set], before, hashOf(after))).toBe(after);
  expect(left([set], after, hashOf(after))).toBe(after);
  expect(left([set], before, hashOf(before))).toBeNull();
  expect(left(null, before, hashOf(before))).toBeNull();
});
