import { expect, it } from 'vitest';
import { hashOf } from '../../../src/store/folder/hash.ts';
import { shortHash } from '../../../src/store/records/history-event.ts';
import type { HistoryEvent } from '../../../src/store/records/history-event.ts';
import { FileStates } from '../../../src/vault/plan/file-states.ts';

let seq = 0;
/** An event that leaves a text at a path, or nothing. */
function eventOf(path: string, text: string | null, more: { readonly from?: string; readonly isForeign?: boolean } = {}): HistoryEvent {
  return {
    seq: ++seq,
    timestamp: '2026-01-01T00:00:00.000Z',
    node: path,
    path,
    agent: 'ada',
    action: 'updated',
    batch: `batch ${seq}`,
    changes: more.from === undefined ? [] : [{ field: 'path', before: more.from, after: path }],
    ...(text === null ? {} : { hash: shortHash(hashOf(text)) }),
    ...(more.isForeign === true ? { foreign: true } : {}),
  };
}

/** What the disk holds. */
const disk =
  (texts: Readonly<Record<string, string>>) =>
  (path: string): string | null =>
    texts[path] === undefined ? null : hashOf(texts[path]);

it('X-18 older events say nothing of a path of which newer ones are known, whether they were written here or not', () => {
  const states = new FileStates();
  states.apply([eventOf('a.md', 'new'), eventOf('b.md', 'claimed', { isForeign: true })]);
  states.applyOlder([eventOf('a.md', 'old'), eventOf('b.md', 'old'), eventOf('c.md', 'only')]);
  expect(['a.md', 'b.md', 'c.md'].map((path) => states.fileAt(path)?.hash ?? null)).toEqual([
    shortHash(hashOf('new')),
    shortHash(hashOf('old')),
    shortHash(hashOf('only')),
  ]);
  expect(states.confirm('b.md', hashOf('claimed'), () => null)).toBe(true);
  expect(states.holds('b.md', hashOf('claimed'))).toBe(true);
});

it('X-18 a line that was not written here counts where the disk shows what it says of a move, and nowhere else', () => {
  const moved = () => {
    const states = new FileStates();
    states.apply([eventOf('b.md', 'text', { from: 'a.md', isForeign: true })]);
    return states;
  };
  const states = moved();
  expect(states.isRemoved('a.md')).toBe(false);
  expect(states.confirm('a.md', null, disk({ 'b.md': 'text' }))).toBe(true);
  expect([states.isRemoved('a.md'), states.currentPathOf('a.md'), states.holds('b.md', hashOf('text'))]).toEqual([true, 'b.md', true]);
  expect(moved().confirm('a.md', null, disk({ 'b.md': 'other' }))).toBe(false);
  expect(moved().confirm('a.md', null, disk({}))).toBe(false);
  expect(moved().confirm('x.md', null, disk({ 'b.md': 'text' }))).toBe(false);
  // Where the file came from is not looked at while something is there.
  expect(moved().confirm('a.md', hashOf('text'), disk({ 'b.md': 'text' }))).toBe(false);
});

it('X-18 a line that was not written here and tells of a deletion is not believed', () => {
  const deleted = new FileStates();
  deleted.apply([eventOf('a.md', null, { isForeign: true })]);
  expect(deleted.confirm('a.md', null, disk({}))).toBe(false);
});

it('X-18 a file is where its last move brought it, and nowhere once it was deleted', () => {
  const states = new FileStates();
  states.apply([eventOf('a.md', 'text'), eventOf('b.md', 'text', { from: 'a.md' }), eventOf('c.md', 'text', { from: 'b.md' })]);
  expect(['a.md', 'b.md', 'c.md', 'x.md'].map((path) => states.currentPathOf(path))).toEqual(['c.md', 'c.md', 'c.md', 'x.md']);
  expect(states.pathsOf({ hash: hashOf('text'), node: 'none' })).toEqual(['c.md']);
  expect(states.pathsOf({ hash: null, node: 'c.md' })).toEqual(['c.md']);
  states.apply([eventOf('c.md', null)]);
  expect(['a.md', 'c.md'].map((path) => states.currentPathOf(path))).toEqual([null, null]);
});
