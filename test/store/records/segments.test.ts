import { expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { isHistoryEvent } from '../../../src/store/records/history-event.ts';
import type { HistoryEvent } from '../../../src/store/records/history-event.ts';
import { SegmentLog } from '../../../src/store/records/segments.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const HISTORY = '.roux/history';
const event = (seq: number): HistoryEvent => ({
  seq,
  timestamp: `2026-01-0${seq}T00:00:00.000Z`,
  node: 'a.md',
  path: 'a.md',
  agent: 'ada',
  action: 'updated',
  changes: [],
});
const line = (seq: number): string => `${JSON.stringify(event(seq))}\n`;

it('F05 a history that this user may not look into has no lines to be read, and takes none', () =>
  withVault({ [`${HISTORY}/2026-01.jsonl`]: line(1) }, async (vault) => {
    const refuse = (): never => {
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    };
    const files = wrapFiles(openNodeFileSystem(vault.root), () => ({ list: refuse, stat: refuse, read: refuse }));
    const segments = new SegmentLog(files, HISTORY, { isLine: isHistoryEvent });
    expect([segments.names(), segments.tail(), await segments.read('2026-01.jsonl'), segments.stateOf('2026-01.jsonl')]).toEqual([
      [],
      [],
      [],
      null,
    ]);
    // So it is where who wrote the lines is in a folder that may not be looked into.
    const own = new SegmentLog(openNodeFileSystem(vault.root), HISTORY, {
      isLine: isHistoryEvent,
      authorship: { recognizer: refuse, marks: refuse },
    });
    expect([await own.read('2026-01.jsonl'), own.readAtOnce('2026-01.jsonl')]).toEqual([[], []]);
    // Numbers are counted on from what is there: without a look at it there is no next one.
    expect(() => segments.poll()).toThrow('EACCES');
  }));

it('X-25 a look that finds everything as it was opens nothing, and misses nothing', () =>
  withVault({ [`${HISTORY}/2026-01.jsonl`]: line(1) }, async (vault) => {
    let lists = 0;
    let minutes = 0;
    const files = wrapFiles(openNodeFileSystem(vault.root), (real) => ({
      now: () => Date.now() + minutes * 60_000,
      list(folder) {
        lists++;
        return real.list(folder);
      },
    }));
    const segments = new SegmentLog(files, HISTORY, { isLine: isHistoryEvent });
    const seqs = (): readonly number[] => segments.poll().lines.map(({ seq }) => seq);
    expect(seqs()).toEqual([]);
    // While the folder is young, its time may not tell of the next change.
    expect([seqs(), seqs(), lists]).toEqual([[], [], 3]);
    minutes = 1;
    expect([seqs(), lists]).toEqual([[], 4]);
    expect([seqs(), seqs(), lists]).toEqual([[], [], 4]);

    vault.write(`${HISTORY}/2026-01.jsonl`, line(1) + line(2));
    expect(seqs()).toEqual([2]);
    vault.write(`${HISTORY}/2026-02.jsonl`, line(3));
    expect(seqs()).toEqual([3]);
    expect(seqs()).toEqual([]);
    // Cut: whoever looks has to start over.
    vault.write(`${HISTORY}/2026-02.jsonl`, '');
    expect(segments.poll().isComplete).toBe(false);
  }));

it('X-25 where there is no history yet, one look by name tells so, and the first line is found', () =>
  withVault({ 'a.md': '' }, async (vault) => {
    let lists = 0;
    const files = wrapFiles(openNodeFileSystem(vault.root), (real) => ({
      list(folder) {
        lists++;
        return real.list(folder);
      },
    }));
    const segments = new SegmentLog(files, HISTORY, { isLine: isHistoryEvent });
    const seqs = (): readonly number[] => segments.poll().lines.map(({ seq }) => seq);
    expect([seqs(), seqs(), seqs(), lists]).toEqual([[], [], [], 1]);
    vault.write(`${HISTORY}/2026-01.jsonl`, line(1));
    expect(seqs()).toEqual([1]);
    vault.write(`${HISTORY}/2026-01.jsonl`, line(1) + line(2));
    expect(seqs()).toEqual([2]);
  }));

it('H-02 the end of a history is looked for in a part of each segment, however much of it can be read as no line', () =>
  withVault(
    { [`${HISTORY}/2026-01.jsonl`]: line(1), [`${HISTORY}/2026-02.jsonl`]: line(2) + '\n'.repeat(20 * 1024 * 1024) },
    async (vault) => {
      let longest = 0;
      const files = wrapFiles(openNodeFileSystem(vault.root), (real) => ({
        read(path, range) {
          const found = real.read(path, range);
          longest = Math.max(longest, found?.bytes.length ?? 0);
          return found;
        },
      }));
      const segments = new SegmentLog(files, HISTORY, { isLine: isHistoryEvent });
      expect(segments.poll()).toMatchObject({ lines: [], isComplete: true });
      expect(longest).toBe(16 * 1024 * 1024);
      // What comes after is in the next file.
      await segments.append([event(3)], false);
      const names = segments.names();
      expect(names).toEqual(['2026-01.jsonl', '2026-02.jsonl', '2026-02-0002.jsonl']);
      expect((await segments.read('2026-02-0002.jsonl')).map(({ seq }) => seq)).toEqual([3]);
    },
  ));

it('reads lines with carriage returns, as git may have checked them out', () =>
  withVault({ [`${HISTORY}/2026-01.jsonl`]: `${line(1)}${line(2)}`.replaceAll('\n', '\r\n') }, async (vault) => {
    const segments = new SegmentLog(openNodeFileSystem(vault.root), HISTORY, { isLine: isHistoryEvent });
    expect((await segments.read('2026-01.jsonl')).map(({ seq }) => seq)).toEqual([1, 2]);
  }));
