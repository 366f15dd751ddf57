import { expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { isHistoryEvent } from '../../../src/store/records/history-event.ts';
import type { HistoryEvent } from '../../../src/store/records/history-event.ts';
import { openSegments } from '../../../src/store/records/segments.ts';
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
    const segments = openSegments(files, HISTORY, { isLine: isHistoryEvent });
    expect([segments.names(), segments.tail(), segments.read('2026-01.jsonl')]).toEqual([[], [], []]);
    // Numbers are counted on from what is there: without a look at it there is no next one.
    expect(() => segments.look()).toThrow('EACCES');
  }));
