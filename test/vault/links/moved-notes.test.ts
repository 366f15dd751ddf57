import { expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { isHistoryEvent } from '../../../src/store/records/history-event.ts';
import type { HistoryEvent } from '../../../src/store/records/history-event.ts';
import { SegmentLog } from '../../../src/store/records/segments.ts';
import type { Segments } from '../../../src/store/records/segments.ts';
import { runAtOnce } from '../../../src/store/slices.ts';
import { PathHistory } from '../../../src/vault/links/path-history.ts';
import { findLastPath, placesSince } from '../../../src/vault/links/moved-notes.ts';
import { wrapFiles } from '../../support/wrap-files.ts';
import { withVault } from '../../support/vault.ts';

const HISTORY = '.roux/history';

const batchOf = (seq: number): string => String(seq).padStart(26, '0');
const move = (seq: number, from: string, to: string): HistoryEvent => ({
  seq,
  timestamp: `2026-${seq < 10 ? '01' : seq < 20 ? '02' : '03'}-01T00:00:00.0${String(seq).padStart(2, '0')}Z`,
  node: to,
  path: to,
  agent: 'ada',
  action: 'moved',
  changes: [{ field: 'path', before: from, after: to }],
  batch: batchOf(seq),
});
const textOf = (events: readonly HistoryEvent[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');

const vault = {
  [`${HISTORY}/2026-01.jsonl`]: textOf([move(1, 'a.md', 'b.md')]),
  [`${HISTORY}/2026-02.jsonl`]: textOf([move(11, 'b.md', 'c.md')]),
  [`${HISTORY}/2026-03.jsonl`]: textOf([move(21, 'x.md', 'y.md')]),
};

/** The history of a vault, and how often each of its segments was read. */
function countReads(root: string): { readonly history: Segments<HistoryEvent>; readonly reads: string[] } {
  const reads: string[] = [];
  const files = wrapFiles(openNodeFileSystem(root), (real) => ({
    read(path, range) {
      reads.push(path.slice(HISTORY.length + 1));
      return real.read(path, range);
    },
  }));
  return { history: new SegmentLog(files, HISTORY, { isLine: isHistoryEvent }), reads };
}

it('H-16 a name that no note has reads the history once, and then only what grew', () =>
  withVault(vault, async (folder) => {
    const { history, reads } = countReads(folder.root);
    expect(await findLastPath(history, 'a')).toBe('c.md');
    expect(reads).toEqual(['2026-01.jsonl', '2026-02.jsonl', '2026-03.jsonl']);
    reads.length = 0;
    expect(await findLastPath(history, 'nothing')).toBeNull();
    expect(reads).toEqual([]);

    const last = `${HISTORY}/2026-03.jsonl`;
    folder.write(last, folder.read(last) + textOf([move(22, 'c.md', 'd.md')]));
    expect(await findLastPath(history, 'a')).toBe('d.md');
    expect(reads).toEqual(['2026-03.jsonl']);
  }));

it('H-16 a new segment and one that was replaced are read', () =>
  withVault(vault, async (folder) => {
    const { history, reads } = countReads(folder.root);
    await findLastPath(history, 'a');
    reads.length = 0;
    folder.write(`${HISTORY}/2026-04.jsonl`, textOf([move(31, 'c.md', 'e.md')]));
    expect(await findLastPath(history, 'a')).toBe('e.md');
    expect(reads).toEqual(['2026-03.jsonl', '2026-04.jsonl']);
    reads.length = 0;
    folder.write(`${HISTORY}/2026-01.jsonl`, textOf([move(1, 'other.md', 'b.md'), move(2, 'b.md', 'b.md')]));
    expect(await findLastPath(history, 'a')).toBeNull();
    expect(await findLastPath(history, 'other')).toBe('e.md');
    expect(reads).toEqual(['2026-01.jsonl', '2026-02.jsonl', '2026-03.jsonl', '2026-04.jsonl']);
  }));

it('two that ask at once read it once, and neither changes what the other gets', () =>
  withVault(vault, async ({ root }) => {
    const { history, reads } = countReads(root);
    const unrecorded = [move(41, 'c.md', 'unrecorded.md')];
    expect(await Promise.all([findLastPath(history, 'a', unrecorded), findLastPath(history, 'a')])).toEqual(['unrecorded.md', 'c.md']);
    expect(reads).toHaveLength(3);
    expect(await findLastPath(history, 'a')).toBe('c.md');
  }));

it('an undo of a recent write reads the history no further back than to it', () =>
  withVault(vault, async ({ root }) => {
    const { history, reads } = countReads(root);
    const placeSince = placesSince(history);
    expect(await placeSince(batchOf(21), 'y.md')).toBe('y.md');
    expect(reads).toEqual(['2026-03.jsonl']);
    expect(await placeSince(batchOf(1), 'b.md')).toBe('c.md');
    expect(reads).toEqual(['2026-03.jsonl', '2026-02.jsonl', '2026-01.jsonl']);
    expect(await placeSince(batchOf(99), 'a.md')).toBe('a.md');
  }));

it('H-02 a segment of very many lines gives way to others while it is read', () =>
  withVault(
    { [`${HISTORY}/2026-01.jsonl`]: textOf(Array.from({ length: 1_000 }, (_, index) => ({ ...move(1, 'a.md', 'b.md'), seq: index }))) },
    async ({ root }) => {
      const { history } = countReads(root);
      // Each look at the clock takes a millisecond, so that a slice is at most ten lines, however fast the machine is.
      let now = 0;
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => ++now);
      let isDone = false;
      let turns = 0;
      try {
        const reading = history.read('2026-01.jsonl').finally(() => (isDone = true));
        while (!isDone) {
          await new Promise((resolve) => setImmediate(resolve));
          turns += 1;
        }
        expect(await reading).toHaveLength(1_000);
      } finally {
        clock.mockRestore();
      }
      expect(turns).toBeGreaterThanOrEqual(100);
    },
  ));

it('a copy of former paths goes on like the one that it was made of', () => {
  const path = fc.constantFrom('a.md', 'b.md', 'c.md', 'D/a.md', 'd.md');
  const moves = fc.array(fc.record({ from: path, to: path }), { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(moves, { maxLength: 5 }), fc.array(moves, { maxLength: 5 }), (before, after) => {
      const original = new PathHistory();
      for (const each of before) original.moveAll(each);
      const copy = runAtOnce(original.copy());
      const then = [...original.entries()];
      for (const each of after) copy.moveAll(each);
      expect([...original.entries()]).toEqual(then);
      for (const each of after) original.moveAll(each);
      expect(new Map(copy.entries())).toEqual(new Map(original.entries()));
      for (const name of ['a', 'b', 'c', 'D/a', 'd']) expect(copy.resolve(name)).toBe(original.resolve(name));
    }),
  );
});
