import { describe, expect, it } from 'vitest';
import { eventName } from '../../../../src/store/records/history-event.ts';
import type { HistoryEvent } from '../../../../src/store/records/history-event.ts';
import { eventsOfFile, historyCursor, readHistories, readHistory } from '../../../../src/vault/plan/history.ts';
import { graphOf } from '../../../graph/graph-of.ts';
import { historyEvent as event, memoryHistory, moveEvent as move } from './memory-history.ts';

/** The numbers of the events of a note, newest first. */
async function trailOf(
  node: string,
  events: readonly HistoryEvent[],
  { notes = {}, ...query }: { notes?: Readonly<Record<string, string>>; unrecorded?: readonly HistoryEvent[]; isOwn?: boolean } = {},
): Promise<readonly number[]> {
  const page = await readHistory(memoryHistory(events), graphOf(notes), { node, limit: 99, ...query });
  return page.events.map(({ seq }) => seq);
}

describe('X-18 the history of a note', () => {
  it('is found by its id and by its path, folded, and without those of other notes', async () => {
    const events = [
      event({ seq: 1 }),
      event({ seq: 2, node: 't_1' }),
      event({ seq: 3, path: 'b.md' }),
      event({ seq: 4, path: 'x/A.md', node: 'T_1' }),
    ];
    const notes = { 'a.md': '---\nid: t_1\n---\n' };
    expect(await trailOf('a.md', events, { notes })).toEqual([4, 2, 1]);
    expect(await trailOf('t_1', events, { notes })).toEqual([4, 2, 1]);
    expect(await trailOf('b', events, { notes })).toEqual([3]);
    expect(await trailOf('none', events, { notes })).toEqual([]);
  });

  it('goes on under its former names, which other notes may have had later and its present one earlier', async () => {
    const events = [
      event({ seq: 1, path: 'a.md' }),
      event({ seq: 2, path: 'b.md' }),
      move(3, 'b.md', 'gone.md'),
      move(4, 'a.md', 'b.md'),
      event({ seq: 5, path: 'b.md' }),
      event({ seq: 6, path: 'a.md', action: 'created' }),
    ];
    expect(await trailOf('b.md', events, { notes: { 'b.md': '', 'a.md': '', 'gone.md': '' } })).toEqual([5, 4, 1]);
    expect(await trailOf('gone.md', events, { notes: { 'b.md': '', 'gone.md': '' } })).toEqual([3, 2]);
    expect(await trailOf('a.md', events, { notes: { 'a.md': '' } })).toEqual([6]);
    // A name that no note has now means what last had it.
    expect(await trailOf('a', events.slice(0, 5), { notes: { 'b.md': '---\nid: n\n---\n' } })).toEqual([5, 4, 1]);
    expect(await trailOf('a.md', events.slice(0, 5))).toEqual([5, 4, 1]);
  });

  it('takes one move of a write, so that names which were exchanged are not followed to and fro', async () => {
    const swap = (batch?: string) => [
      event({ seq: 1, path: 'a.md', node: '1' }),
      event({ seq: 2, path: 'b.md', node: '2' }),
      move(3, 'a.md', 'b.md', { node: '1', ...(batch && { batch }) }),
      move(4, 'b.md', 'a.md', { node: '2', ...(batch && { batch }) }),
    ];
    const notes = { 'a.md': '', 'b.md': '' };
    expect(await trailOf('a.md', swap('one'), { notes })).toEqual([4, 2]);
    expect(await trailOf('b.md', swap('one'), { notes })).toEqual([3, 1]);
    // Two writes without a batch are two.
    expect(await trailOf('a.md', swap(), { notes })).toEqual([4, 3, 2, 1]);
    const thrice = [
      move(1, 'x.md', 'y.md', { batch: 'a' }),
      move(2, 'y.md', 'z.md', { batch: 'b' }),
      move(3, 'z.md', 'a.md', { batch: 'a' }),
    ];
    expect(await trailOf('a.md', thrice, { notes })).toEqual([3, 2, 1]);
  });

  it('ends where the note was created, and has what was merged into it', async () => {
    const merged = (before: unknown, after: unknown) =>
      event({ seq: 5, action: 'merged', changes: [{ field: 'merged_from', before: before as never, after: after as never }] });
    const events = [
      event({ seq: 1 }),
      event({ seq: 2, action: 'created', changes: [{ field: 'path', before: 'x.md', after: 'a.md' }] }),
      event({ seq: 3, path: 'm.md', node: 'm' }),
      event({ seq: 4, path: 'x.md' }),
    ];
    const notes = { 'a.md': '' };
    expect(await trailOf('a.md', [...events, merged(null, ['m'])], { notes })).toEqual([5, 3, 2]);
    expect(await trailOf('a.md', [...events, merged('m.md', 7)], { notes })).toEqual([5, 3, 2]);
    expect(await trailOf('a.md', events, { notes })).toEqual([2]);
    // What was merged into it goes on behind its beginning.
    expect(await trailOf('a.md', [event({ seq: 0, path: 'm.md' }), ...events.slice(0, 2), merged('m.md', null)], { notes })).toEqual([
      5, 2, 0,
    ]);
    const other = [event({ seq: 1, path: 'm.md' }), event({ seq: 2, changes: [{ field: 'up', before: 'm.md', after: 'm' }] })];
    expect(await trailOf('a.md', other, { notes })).toEqual([2]);
  });

  it('has lines that were not written here, which add names and end nothing', async () => {
    const foreign = { foreign: true } as const;
    const notes = { 'a.md': '' };
    const created = [event({ seq: 1 }), event({ seq: 2, action: 'created', ...foreign })];
    expect(await trailOf('a.md', created, { notes })).toEqual([2, 1]);
    const moved = [
      event({ seq: 1, path: 'b.md' }),
      event({ seq: 2 }),
      move(3, 'b.md', 'a.md', { node: 'n', ...foreign }),
      event({ seq: 4, node: 'n', path: 'c.md' }),
    ];
    expect(await trailOf('a.md', moved, { notes })).toEqual([3, 2, 1]);
    expect(await trailOf('a.md', moved, { notes, isOwn: true })).toEqual([2]);
    expect(await trailOf('b.md', moved, { notes: { 'b.md': '' } })).toEqual([3, 1]);
    const swap = [move(1, 'x.md', 'a.md', { batch: 'b' }), move(2, 'a.md', 'a.md', { batch: 'b', ...foreign })];
    expect(await trailOf('a.md', swap, { notes })).toEqual([2, 1]);
    // The id of such a line is a name from there on.
    expect(
      await trailOf('a.md', [event({ seq: 1, path: 'z.md', node: 'n' }), event({ seq: 2, node: 'n', ...foreign })], { notes }),
    ).toEqual([2, 1]);
    expect(await trailOf('a.md', [event({ seq: 1, path: 'z.md', node: 'n' }), event({ seq: 2, node: 'n' })], { notes })).toEqual([2, 1]);
    const links = [
      event({ seq: 1, path: 'z.md' }),
      event({ seq: 2, changes: [{ field: 'links', before: 'z.md', after: null }], ...foreign }),
    ];
    expect(await trailOf('a.md', links, { notes })).toEqual([2]);
  });

  it('begins with what nobody recorded yet', async () => {
    const unrecorded = [event({ seq: 8, path: 'a.md' }), move(9, 'a.md', 'b.md')];
    expect(await trailOf('b.md', [event({ seq: 1, path: 'a.md' })], { notes: { 'b.md': '' }, unrecorded })).toEqual([9, 8, 1]);
    expect(await trailOf('a.md', [event({ seq: 1, path: 'a.md' })], { notes: { 'b.md': '' }, unrecorded })).toEqual([9, 8, 1]);
  });
});

describe('X-18 pages of a history', () => {
  const events = [1, 2, 3, 4, 5].map((seq) => event({ seq }));
  const page = async (limit: number, cursor?: string, of: readonly HistoryEvent[] = events) => {
    const found = await readHistory(memoryHistory(of), graphOf({ 'a.md': '' }), {
      node: 'a.md',
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    return { seqs: found.events.map(({ seq }) => seq), next: found.nextCursor };
  };

  it('go on after the event that the cursor names, and end without one', async () => {
    expect(await page(2)).toEqual({ seqs: [5, 4], next: eventName(events[3]!) });
    expect(await page(2, eventName(events[3]!))).toEqual({ seqs: [3, 2], next: eventName(events[1]!) });
    expect(await page(2, eventName(events[1]!))).toEqual({ seqs: [1], next: null });
    expect(await page(5)).toEqual({ seqs: [5, 4, 3, 2, 1], next: null });
    expect([historyCursor(undefined), historyCursor(events[0])]).toEqual([null, eventName(events[0]!)]);
  });

  it('go on by the number where that event is gone, or the cursor is of an earlier version', async () => {
    for (const cursor of ['3-00000000', '3', '000000000000003']) expect((await page(9, cursor)).seqs).toEqual([2, 1]);
    for (const cursor of ['', 'x', '3-', '3-0000000', '3-000000000', '0000000000000003', '-3', '3-0000000G'])
      await expect(page(9, cursor)).rejects.toMatchObject({ code: 'INVALID_PARAMS', details: { cursor } });
  });

  it('have each line once, also where a merge by git left it twice, and another of its number', async () => {
    const twin = { ...events[1]!, agent: 'bob' };
    const twice = [events[0]!, events[1]!, events[1]!, twin, events[2]!];
    expect((await page(9, undefined, twice)).seqs).toEqual([3, 2, 2, 1]);
    const first = await page(2, undefined, twice);
    expect((await page(9, first.next ?? '', twice)).seqs).toEqual([2, 1]);
  });
});

describe('X-18 the newest events of several notes', () => {
  it('are read at once, so many of each, and no further than needed', async () => {
    const old = [event({ seq: 1 }), event({ seq: 2, path: 'b.md' })];
    const recent = [event({ seq: 3 }), event({ seq: 4 }), event({ seq: 5, path: 'b.md' }), event({ seq: 6 })];
    const history = memoryHistory(old, recent);
    const graph = graphOf({ 'a.md': '', 'b.md': '' });
    const newest = async (nodes: readonly string[], limit: number, more: object = {}) =>
      Object.fromEntries(
        [...(await readHistories(history, graph, { nodes, limit, ...more }))].map(([node, found]) => [node, found.map(({ seq }) => seq)]),
      );
    expect(await newest(['a.md', 'b.md'], 2)).toEqual({ 'a.md': [6, 4], 'b.md': [5, 2] });
    history.reads.length = 0;
    expect(await newest(['a.md', 'b.md'], 1)).toEqual({ 'a.md': [6], 'b.md': [5] });
    expect(history.reads).toEqual(['1']);
    expect(await newest(['a.md', 'none.md'], 9)).toEqual({ 'a.md': [6, 4, 3, 1], 'none.md': [] });
    expect(await newest(['a.md'], 2, { unrecorded: [event({ seq: 7 })] })).toEqual({ 'a.md': [7, 6] });
    expect(await newest([], 2)).toEqual({});
  });
});

describe('X-18 the events of one file', () => {
  const of = async (
    node: string,
    events: readonly HistoryEvent[],
    notes: Readonly<Record<string, string>>,
    more: { before?: number } = {},
  ) => {
    const seqs: number[] = [];
    for await (const { seq } of eventsOfFile(memoryHistory(events), graphOf(notes), { node, ...more })) seqs.push(seq);
    return seqs;
  };
  const merged = (seq: number) => event({ seq, action: 'merged', changes: [{ field: 'merged_from', before: 'm.md', after: null }] });

  it('follow its moves, and leave out the notes that were merged into it', async () => {
    const events = [event({ seq: 1, path: 'b.md' }), event({ seq: 2, path: 'm.md' }), move(3, 'b.md', 'a.md'), merged(4)];
    expect(await of('a.md', events, { 'a.md': '' })).toEqual([4, 3, 1]);
    // Of one that is gone, by the name that it had.
    expect(await of('a.md', events, {})).toEqual([4, 3, 1]);
  });

  it('end at its creation, and take both names where a line that was not written here tells of a move', async () => {
    const foreign = move(3, 'b.md', 'a.md', { foreign: true });
    const events = [event({ seq: 1, path: 'b.md' }), event({ seq: 2, path: 'a.md' }), foreign];
    expect(await of('a.md', events, { 'a.md': '' })).toEqual([3, 2, 1]);
    const own = [
      event({ seq: 1, path: 'b.md', node: 'n' }),
      event({ seq: 2, path: 'a.md', node: 'n' }),
      move(3, 'b.md', 'a.md', { node: 'n' }),
    ];
    expect(await of('a.md', own, { 'a.md': '' })).toEqual([3, 1]);
    const born = [
      event({ seq: 1, path: 'x.md', node: 'n' }),
      event({ seq: 2, node: 'n', action: 'created', changes: [{ field: 'path', before: 'x.md', after: 'a.md' }] }),
    ];
    expect(await of('a.md', born, { 'a.md': '---\nid: n\n---\n' })).toEqual([2]);
  });

  it('before a number, are about the file that had the name then', async () => {
    const events = [
      event({ seq: 1 }),
      event({ seq: 2, path: 'c.md' }),
      move(3, 'a.md', 'b.md'),
      event({ seq: 4, action: 'created' }),
      event({ seq: 5 }),
    ];
    expect(await of('a.md', events, { 'a.md': '' })).toEqual([5, 4]);
    expect(await of('a.md', events, { 'a.md': '' }, { before: 3 })).toEqual([1]);
    expect(await of('b', events, {}, { before: 4 })).toEqual([3, 1]);
    expect(await of('b.md', events, {}, { before: 3 })).toEqual([]);
  });
});
