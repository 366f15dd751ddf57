import { describe, expect, it } from 'vitest';
import { notePath as note } from '../../crash/scenarios.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';

const meta = { operation: 'test', agent: 'ada' };
const touch = { op: 'touch', at: '2026-01-01T00:00:00.000Z' } as const;

describe('history', () => {
  it('records what changed property by property, and short bodies with their text', async () => {
    await withVault({ 'a.md': '---\nid: t_1\nresolved: false\nrev: 1\n---\nOld\n' }, async (vault) => {
      const writer = openTestWriter({ root: vault.root });
      const changes = [{ op: 'set', key: ['resolved'], value: true }, { op: 'body', text: 'New\n' }, touch] as const;
      await writer.write(meta, () => ({ files: [{ kind: 'change', path: note('a.md'), changes }] }));
      const { events } = await writer.history({ node: 't_1', limit: 5 });
      expect(events).toMatchObject([
        {
          node: 't_1',
          agent: 'ada',
          action: 'resolved',
          changes: [
            { field: 'resolved', before: false, after: true },
            { field: 'body', before: { size: 4, text: 'Old\n' }, after: { size: 4, text: 'New\n' } },
          ],
        },
      ]);
      await writer.close();
    });
  });

  it('S1-87 S1-89 pages lose nothing, and the trail goes on through renames, merges and months', async () => {
    await withVault({ 'a.md': 'A\n', 'merged.md': '---\nid: t_m\n---\nM\n', 'other.md': 'O\n' }, async (vault) => {
      let now = Date.parse('2025-11-20T00:00:00Z');
      const ports = { ...testPorts(), clock: { now: () => now } };
      const writer = openTestWriter({ root: vault.root, ports });
      const set = (path: string, value: number) =>
        writer.write(meta, () => ({ files: [{ kind: 'change', path: note(path), changes: [{ op: 'set', key: ['n'], value }] }] }));
      for (let value = 1; value <= 3; value++) await set('a.md', value);
      await set('merged.md', 7);
      now = Date.parse('2025-12-20T00:00:00Z');
      await writer.write(meta, () => ({ files: [{ kind: 'move', from: 'a.md', to: 'b.md', changes: [] }] }));
      // Another note takes the old name: its events are its own.
      await writer.write(meta, () => ({ files: [{ kind: 'move', from: 'other.md', to: 'a.md', changes: [] }] }));
      await set('a.md', 99);
      now = Date.parse('2026-01-20T00:00:00Z');
      await set('b.md', 4);
      await writer.write(meta, () => ({
        files: [
          { kind: 'change', path: note('b.md'), changes: [{ op: 'set', key: ['n'], value: 5 }] },
          { kind: 'remove', path: 'merged.md', to: 'trash' },
        ],
        events: [
          { path: 'b.md', action: 'merged', changes: [{ field: 'merged_from', before: null, after: 't_m' }] },
          { path: 'merged.md', action: 'merged', changes: [{ field: 'merged_into', before: null, after: 'b.md' }] },
        ],
      }));
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await writer.history({ node: 'b.md', limit: 2, ...(cursor === undefined ? {} : { cursor }) });
        expect(page.events.length).toBeLessThanOrEqual(2);
        seen.push(...page.events.map((event) => event.seq));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual([9, 8, 5, 4, 3, 2, 1]);
      await expect(writer.history({ node: 'b.md', limit: 2, cursor: 'x' })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
      expect((await writer.history({ node: 'a.md', limit: 9 })).events.map((event) => event.seq)).toEqual([7, 6]);
      await writer.close();
    });
  });

  it('a torn last line is skipped, and the next event stands on a line of its own', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const set = (value: number) => ({
        files: [{ kind: 'change' as const, path: note('a.md'), changes: [{ op: 'set' as const, key: ['n'], value }] }],
      });
      const first = openTestWriter({ root: vault.root });
      await first.write(meta, () => set(1));
      await first.close();
      const segment = `.roux/history/${new Date().toISOString().slice(0, 7)}.jsonl`;
      vault.write(segment, `${vault.read(segment)}{"seq":2,"timest`);
      const second = openTestWriter({ root: vault.root });
      await second.write(meta, () => set(2));
      expect((await second.history({ node: 'a.md', limit: 9 })).events.map((event) => event.seq)).toEqual([2, 1]);
      await second.close();
    });
  });

  it('S1-88 records an edit from outside once, with its fields, however many processes saw it, and none of roux itself', async () => {
    await withVault({ 'a.md': '---\nn: 1\n---\nA\n' }, async (vault) => {
      const writers = [openTestWriter({ root: vault.root }), openTestWriter({ root: vault.root })];
      for (const writer of writers) writer.graph.onChange((changes) => writer.follow(changes));
      await writers[0]?.write(meta, () => ({
        files: [{ kind: 'change', path: note('a.md'), changes: [{ op: 'set', key: ['n'], value: 2 }] }],
      }));
      vault.write('a.md', '---\nn: 3\n---\nA\n');
      for (const writer of writers) writer.index(['a.md']);
      for (const writer of writers) await writer.history({ node: 'a.md', limit: 1 });
      const events = (await writers[1]?.history({ node: 'a.md', limit: 9 }))?.events;
      expect(events).toMatchObject([
        { agent: 'external', action: 'external', changes: [{ field: 'n', before: 2, after: 3 }] },
        { agent: 'ada', action: 'updated' },
      ]);
      for (const writer of writers) await writer.close();
    });
  });
});

describe('undo and trash', () => {
  it('undoes a batch whole: creation, change, move and removal', async () => {
    const notes = { 'a.md': 'A\n', 'b.md': '---\nrev: 3\n---\nB\n', 'c.md': 'C\n' };
    await withVault(notes, async (vault) => {
      const writer = openTestWriter({ root: vault.root });
      const done = await writer.write(meta, () => ({
        files: [
          { kind: 'create', path: 'd.md', text: 'D\n' },
          { kind: 'change', path: note('b.md'), changes: [{ op: 'body', text: 'B2\n' }, touch] },
          { kind: 'move', from: 'a.md', to: 'sub/a.md', changes: [{ op: 'set', key: ['x'], value: 1 }] },
          { kind: 'remove', path: 'c.md', to: 'trash' },
        ],
      }));
      await writer.undo(meta, { batch: done.batch ?? '' });
      expect(vault.files()).toEqual(['a.md', 'b.md', 'c.md']);
      expect([vault.read('a.md'), vault.read('c.md')]).toEqual(['A\n', 'C\n']);
      expect(vault.read('b.md')).toBe('---\nrev: 5\n---\nB\n');
      await writer.close();
    });
  });

  it('undo keeps what a person changed since where both can be merged, and is refused as a whole where not', async () => {
    await withVault({ 'a.md': '---\nx: 1\n---\none\n\ntwo\n\nthree\n', 'b.md': 'B\n' }, async (vault) => {
      const writer = openTestWriter({ root: vault.root });
      const done = await writer.write(meta, () => ({
        files: [
          { kind: 'change', path: note('a.md'), changes: [{ op: 'set', key: ['x'], value: 2 }] },
          { kind: 'change', path: note('b.md'), changes: [{ op: 'body', text: 'B2\n' }] },
        ],
      }));
      const batch = done.batch ?? '';
      vault.write('b.md', 'B3\n');
      await expect(writer.undo(meta, { batch })).rejects.toMatchObject({ code: 'CONFLICT', details: { path: 'b.md' } });
      expect(vault.read('a.md')).toContain('x: 2');
      vault.write('b.md', 'B2\n');
      vault.write('a.md', '---\nx: 2\n---\none\n\ntwo\n\nthree and mine\n');
      await writer.undo(meta, { batch });
      expect([vault.read('a.md'), vault.read('b.md')]).toEqual(['---\nx: 1\n---\none\n\ntwo\n\nthree and mine\n', 'B\n']);
      await writer.close();
    });
  });

  it('undo of a creation is refused where somebody wrote in the note since', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const writer = openTestWriter({ root: vault.root });
      const { batch } = await writer.write(meta, () => ({ files: [{ kind: 'create', path: note('new.md'), text: 'New\n' }] }));
      vault.write('new.md', 'New, and more by a person\n');
      await expect(writer.undo(meta, { batch: batch ?? '' })).rejects.toMatchObject({ code: 'CONFLICT', details: { path: 'new.md' } });
      expect(vault.read('new.md')).toBe('New, and more by a person\n');
      await writer.close();
    });
  });

  it('undoes what an agent wrote last and leaves the work of others', async () => {
    await withVault({ 'a.md': 'A\n', 'b.md': 'B\n' }, async (vault) => {
      const writer = openTestWriter({ root: vault.root });
      const body = (path: string, text: string, agent: string) =>
        writer.write({ ...meta, agent }, () => ({ files: [{ kind: 'change', path: note(path), changes: [{ op: 'body', text }] }] }));
      await body('a.md', 'A2\n', 'ada');
      await body('b.md', 'B2\n', 'bob');
      await body('a.md', 'A3\n', 'ada');
      await writer.undo({ ...meta, agent: 'cleo' }, { agent: 'ada' });
      expect([vault.read('a.md'), vault.read('b.md')]).toEqual(['A\n', 'B2\n']);
      await expect(writer.undo(meta, { agent: 'nobody' })).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' });
      await writer.close();
    });
  });

  it('restores from the trash by path, by name and by batch, and not over another note', async () => {
    await withVault({ 'sub/a.md': 'A\n', 'b.md': 'B\n' }, async (vault) => {
      const writer = openTestWriter({ root: vault.root });
      const remove = (path: string) => writer.write(meta, () => ({ files: [{ kind: 'remove', path, to: 'trash' }] }));
      await remove('sub/a.md');
      const removed = await remove('b.md');
      expect(writer.store.records.trash.list().map((entry) => entry.path)).toEqual(['b.md', 'sub/a.md']);
      await writer.restore(meta, 'a');
      expect(vault.read('sub/a.md')).toBe('A\n');
      vault.write('b.md', 'Another\n');
      await expect(writer.restore(meta, removed.batch ?? '')).rejects.toMatchObject({ code: 'NODE_EXISTS' });
      vault.remove('b.md');
      await writer.restore(meta, removed.batch ?? '');
      expect(vault.read('b.md')).toBe('B\n');
      expect(writer.store.records.trash.list()).toEqual([]);
      await expect(writer.restore(meta, 'a')).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' });
      expect((await writer.history({ node: 'b.md', limit: 1 })).events[0]?.action).toBe('restored');
      await writer.close();
    });
  });
});

describe('idempotency keys', () => {
  it('F18 a repeat gets the first result and writes nothing, for a week; without effect too', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      let now = Date.now();
      const ports = { ...testPorts(), clock: { now: () => now } };
      const add = (writer: ReturnType<typeof openTestWriter>, result: string) =>
        writer.write({ ...meta, idempotencyKey: 'k', payloadHash: 'p' }, () => ({
          files: [{ kind: 'change', path: note('a.md'), changes: [{ op: 'add-line', section: 'Observations', line: 'one' }] }],
          result,
        }));
      const first = openTestWriter({ root: vault.root, ports });
      const { written, before, ...done } = await add(first, 'first');
      expect(before?.('a.md')).toBe('A\n');
      expect(written?.('a.md')?.note.text).toBe(vault.read('a.md'));
      expect(await add(first, 'second')).toEqual({ ...done, isReplay: true });
      await first.close();
      const later = openTestWriter({ root: vault.root, ports });
      expect(await add(later, 'third')).toMatchObject({ result: 'first', isReplay: true, batch: done.batch });
      const nothing = { ...meta, idempotencyKey: 'n', payloadHash: 'p' };
      expect((await later.write(nothing, () => ({ files: [], result: 1 }))).isReplay).toBeUndefined();
      expect(await later.write(nothing, () => ({ files: [{ kind: 'create', path: 'b.md', text: '' }], result: 2 }))).toMatchObject({
        result: 1,
        isReplay: true,
      });
      expect(vault.files()).toEqual(['a.md']);
      now += 8 * 24 * 3_600_000;
      expect((await add(later, 'fourth')).isReplay).toBeUndefined();
      expect(vault.read('a.md').match(/- one/g)).toHaveLength(2);
      await later.close();
    });
  });
});
