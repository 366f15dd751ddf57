import { expect, it } from 'vitest';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { hashOf } from '../../../src/store/folder/hash.ts';
import type { StoredFile } from '../../../src/store/store.ts';
import type { FileChange, PlannedEvent } from '../../../src/vault/plan/plan.ts';
import { prepare } from '../../../src/vault/plan/prepare.ts';
import { notePath } from '../../crash/scenarios.ts';
import { simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { uncounted } from '../../support/open-test-writer.ts';

/** Prepares changes of a vault with two notes and a canvas. */
async function prepared(files: readonly FileChange[], events: readonly PlannedEvent[] = []) {
  const disk = simulatedDisk({ 'a.md': 'A\n', 'b.md': '---\nrev: 2\n---\nB\n', 'c.canvas': '{"x":1}' });
  const read = async (path: string): Promise<StoredFile | null> => {
    const found = disk.files.read(path);
    return found === null ? null : { path, bytes: found.bytes, hash: hashOf(found.bytes), isLinked: false, state: found.state };
  };
  return await prepare({ files, events }, { ...uncounted, read, graph: openGraph() });
}

const set = (key: string) => ({ op: 'set', key: [key], value: 1 }) as const;
const change = (path: string, keys: readonly string[], more: object = {}): FileChange => ({
  kind: 'change',
  path: notePath(path),
  changes: keys.map(set),
  ...more,
});
const move = (from: string, to: string, more: object = {}): FileChange => ({ kind: 'move', from, to, changes: [], ...more });
const bytesOf = (change: object): string | null =>
  'bytes' in change && change.bytes instanceof Uint8Array ? Buffer.from(change.bytes).toString() : null;

it('F19 several changes of one note become one, which expects what each of them did', async () => {
  const [one, ...rest] = await prepared([change('a.md', ['x']), move('a.md', 'z.md', { changes: [set('y')] })]);
  expect(rest).toEqual([]);
  expect(one).toMatchObject({ path: 'z.md', isChanged: true, change: { kind: 'move', to: 'z.md', isCommutative: true } });
  expect(one?.sides.after).toBe('---\nx: 1\ny: 1\n---\nA\n');
  const stale = [change('b.md', ['x']), change('b.md', ['y'], { expect: { rev: 1 } })];
  await expect(prepared(stale)).rejects.toMatchObject({ code: 'CONFLICT', details: { path: 'b.md', rev: 2 } });
  await expect(prepared(stale.toReversed())).rejects.toMatchObject({ code: 'CONFLICT' });
});

it('F19 anything else twice on one file is refused', async () => {
  const remove = { kind: 'remove', path: 'a.md', to: 'trash' } as const;
  const create = { kind: 'create', path: 'n.md', text: 'N\n' } as const;
  const twice: readonly (readonly FileChange[])[] = [
    [create, create],
    [change('a.md', ['x']), remove],
    [remove, change('a.md', ['x'])],
    [move('a.md', 'y.md'), move('a.md', 'z.md')],
  ];
  for (const files of twice) await expect(prepared(files)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
});

it('F14 bytes that replace or move a file are made for those of one hash alone', async () => {
  const hash = hashOf('{"x":1}');
  const splice = { kind: 'splice', path: 'c.canvas', hash, splices: [{ start: 5, end: 6, text: '2' }] } as const;
  const [spliced] = await prepared([splice]);
  expect(spliced).toMatchObject({ isChanged: true, change: { kind: 'replace', isCommutative: false, changes: null } });
  expect(bytesOf(spliced!.change)).toBe('{"x":2}');
  const rewrite = { hash, bytes: Buffer.from('{}') };
  const [moved] = await prepared([move('c.canvas', 'd.canvas', { rewrite })]);
  expect(moved).toMatchObject({ isChanged: true, change: { kind: 'move', isCommutative: false } });
  expect(bytesOf(moved!.change)).toBe('{}');
  expect((await prepared([move('c.canvas', 'd.canvas')]))[0]).toMatchObject({ change: { bytes: null, isCommutative: true } });
  const other = hashOf('other');
  for (const stale of [{ ...splice, hash: other }, move('c.canvas', 'd.canvas', { rewrite: { ...rewrite, hash: other } })])
    await expect(prepared([stale])).rejects.toMatchObject({ code: 'CONFLICT', details: { path: 'c.canvas', etag: hash.slice(0, 16) } });
  const expected = { expect: { etag: other } };
  for (const stale of [move('a.md', 'z.md', expected), { kind: 'remove', path: 'a.md', to: 'gone', ...expected } as const])
    await expect(prepared([stale])).rejects.toMatchObject({ code: 'CONFLICT' });
  const rev = { expect: { rev: 2 } };
  await expect(prepared([{ kind: 'remove', path: 'b.md', to: 'gone', ...rev }])).resolves.toHaveLength(1);
  await expect(prepared([move('b.md', 'z.md', rev)])).resolves.toMatchObject([{ change: { isCommutative: false } }]);
});

it('F19 a note that is not there is named, and a new one needs the name of a note', async () => {
  await expect(prepared([change('n.md', ['x'])])).rejects.toMatchObject({ code: 'NODE_NOT_FOUND', details: { path: 'n.md' } });
  await expect(prepared([{ kind: 'create', path: 'n.txt', text: '' }])).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
});

it('X-18 a plan names the event of a moved note by its former or its present path, and that of another by its own', async () => {
  const events = (path: string): readonly PlannedEvent[] => [{ path, action: 'merged' }];
  const actionsOf = async (files: readonly FileChange[], path: string) =>
    (await prepared(files, events(path))).flatMap((file) => file.change.events.map(({ action }) => action));
  for (const path of ['a.md', 'z.md']) expect(await actionsOf([move('a.md', 'z.md')], path)).toEqual(['merged']);
  expect(await actionsOf([move('a.md', 'z.md')], 'b.md')).toEqual(['renamed']);
  expect(await actionsOf([change('b.md', ['x']), move('a.md', 'z.md')], 'b.md')).toEqual(['merged', 'renamed']);
});
