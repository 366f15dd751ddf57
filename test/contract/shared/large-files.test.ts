import { createHash } from 'node:crypto';
import { readFileSync, truncateSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hashFold } from '../../../src/store/shared/database/feed.ts';
import { isLong } from '../../support/effort.ts';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import { withHomes } from '../../support/sharing/home.ts';
import { openHttpServer } from '../../support/sharing/server.ts';
import { waitFor } from '../../support/wait-for.ts';

const MB = 1024 * 1024;

/** Megabytes that nobody may have in memory. */
const LARGE = isLong ? 600 : 320;

/** The most memory that a process ever had, in bytes. */
const peakOf = (pid: number): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

describe.skipIf(!hasPostgres || process.platform !== 'linux')('large files of a shared vault', () => {
  const store = useStore();

  it('H-08 a member who puts very much in under a small size costs no memory: the file is named and left in the store, and all else goes on', () =>
    withHomes({ count: 1, password: PASSWORD }, async (a) => {
      const url = store.url('large', { password: null });
      const notes = a.folder('notes');
      notes.write('start.md', '# Start\n');
      expect(await a.run(['share', url, 'notes'])).toMatchObject({ status: 0 });
      const server = await openHttpServer(a, ['notes']);
      try {
        const before = peakOf(server.pid);
        const hash = createHash('sha256').update('nothing that it holds').digest('hex');
        const row = "(SELECT id FROM roux.vault WHERE name = 'large')";
        await store.cluster.sql(
          `INSERT INTO roux.blob (vault, hash, piece, bytes)
             SELECT ${row}, '\\x${hash}', n, convert_to(repeat('x', ${8 * MB}), 'UTF8') FROM generate_series(1, ${LARGE / 8}) n;
           INSERT INTO roux.batch (vault, seq, id, agent, machine, operation, at)
             SELECT id, seq + 1, 'of-a-member', 'member', 'elsewhere', 'edit', '2026-01-05T12:00:00.000Z' FROM roux.vault WHERE name = 'large';
           INSERT INTO roux.file (vault, fold, path, hash, size, seq)
             SELECT id, '\\x${hashFold('huge.bin').toString('hex')}', 'huge.bin', '\\x${hash}', 5, seq + 1 FROM roux.vault WHERE name = 'large';
           INSERT INTO roux.change (vault, seq, n, op, path, hash, size, event)
             SELECT id, seq + 1, 0, 'create', 'huge.bin', '\\x${hash}', 5, '[]' FROM roux.vault WHERE name = 'large';
           UPDATE roux.vault SET seq = seq + 1 WHERE name = 'large'`,
          'team',
        );
        await waitFor(() => server.told().includes('huge.bin'), { what: 'the file to be named' });
        expect(server.told()).toContain(`huge.bin (it has ${LARGE} MB, and a file of a shared vault may have 100 MB`);
        await server.call('create_node', { title: 'After', content: 'x' });
        expect(notes.exists('huge.bin')).toBe(false);
        expect(peakOf(server.pid) - before).toBeLessThan(200 * MB);
      } finally {
        await server.stop();
      }
    }));

  it('H-08 the same bound holds for what goes out and what is cloned, and is a setting', () =>
    withHomes({ count: 2, password: PASSWORD }, async (a, b) => {
      const url = store.url('bound', { password: null });
      const notes = a.folder('notes');
      notes.write('start.md', '# Start\n');
      notes.write('ten.bin', '');
      truncateSync(notes.path('ten.bin'), 10 * MB + 1);
      notes.write('large.bin', '');
      truncateSync(notes.path('large.bin'), 20 * MB);
      const shared = await a.run(['share', url, 'notes'], { ROUX_MAX_SHARED_FILE_MB: '15' });
      expect(shared.stdout + shared.stderr).toContain('large.bin');
      const cloned = await b.run(['clone', url, 'copy'], { ROUX_MAX_SHARED_FILE_MB: '10' });
      expect(cloned.stdout + cloned.stderr).toMatch(/ten\.bin.*11 MB/s);
      const copy = b.folder('copy');
      expect([copy.exists('start.md'), copy.exists('ten.bin')]).toEqual([true, false]);
      const [first, second] = [await openHttpServer(a, ['notes']), await openHttpServer(b, ['copy'])];
      try {
        await waitFor(() => copy.exists('large.bin') && copy.exists('ten.bin'), { what: 'the files, with more room' });
        expect(copy.readBytes('large.bin').length).toBe(20 * MB);
      } finally {
        await Promise.all([first.stop(), second.stop()]);
      }
      const wrong = await a.run(['share', '--status', 'notes'], { ROUX_MAX_SHARED_FILE_MB: 'much' });
      expect(wrong.stdout + wrong.stderr).toContain('ROUX_MAX_SHARED_FILE_MB is a number of megabytes');
    }));
});
