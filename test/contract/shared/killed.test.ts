import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isLong, rounds } from '../../support/effort.ts';
import { filesOf } from '../../support/postgres/commits.ts';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import { differing, hashesOf, withHomes } from '../../support/sharing/home.ts';
import type { Home } from '../../support/sharing/home.ts';
import { randomOf } from '../../support/random.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Notes in folders, some alike, and a large file. */
function fill(folder: TestVault, count: number): void {
  for (let note = 0; note < count; note++)
    folder.write(`area ${note % 7}/note ${note}.md`, `# Note ${note % 90}\n${'words '.repeat(note % 50)}\n`);
  folder.write('large.bin', Buffer.alloc(9 * 1024 * 1024, 'large'));
}

/** How often a command is killed before it may come to its end. */
const KILLS = isLong ? 6 : 3;

/** How long a command may take before it is killed: a while of which most ends before the command does. */
async function killedAfter(home: Home, args: readonly string[], milliseconds: number): Promise<boolean> {
  const child = home.start(args);
  const ended = new Promise<boolean>((resolve) => child.once('exit', (status) => resolve(status === null)));
  await Promise.race([ended, setTimeout(milliseconds)]);
  child.kill('SIGKILL');
  return ended;
}

describe.skipIf(!hasPostgres)('P-01 killed at any moment and said again', () => {
  const store = useStore();
  const random = randomOf('sharing killed');
  // The first is killed before any machine can be done.
  const delay = (attempt: number, most: number): number => 100 + random.below(attempt === 0 ? 50 : most);

  it('share goes on until everything is in the store, once, and a clone goes on until everything is in the folder', () =>
    withHomes({ count: 2, password: PASSWORD }, async (a, b) => {
      const notes = a.folder('notes');
      fill(notes, isLong ? 1_200 : 600);
      let kills = 0;
      for (const round of rounds(1)) {
        const url = store.url(`killed ${round}`, { password: null });
        for (let attempt = 0; attempt < KILLS; attempt++) {
          if (await killedAfter(a, ['share', url, 'notes'], delay(attempt, 900))) kills++;
          // What is edited in between is shared as it is then.
          notes.write(`area 1/edited ${attempt}.md`, `${round} ${attempt}\n`);
          if (attempt === KILLS - 1 && notes.exists('area 2/note 9.md')) notes.remove('area 2/note 9.md');
        }
        expect(await a.run(['share', url, 'notes'])).toMatchObject({ status: 0 });
        // Whoever came to the end before the last edit has those as edits of a folder that follows.
        expect(await a.run(['create', `Made ${round}`, '--vault', 'notes'])).toMatchObject({ status: 0 });
        expect(differing(await filesOf(await store.open(`killed ${round}`, { user: 'writer' })), hashesOf(notes))).toEqual([]);

        const copy = b.folder(`copy ${round}`);
        for (let attempt = 0; attempt < KILLS; attempt++) {
          if (await killedAfter(b, ['clone', url, `copy ${round}`], delay(attempt, 700))) kills++;
          // Nobody sees half a file, nor works in a part of the vault.
          if (!copy.exists('')) continue;
          const whole = hashesOf(notes);
          for (const [file, hash] of Object.entries(hashesOf(copy))) expect([file, hash]).toEqual([file, whole[file]]);
        }
        expect(await b.run(['clone', url, `copy ${round}`])).toMatchObject({ status: 0 });
        expect(differing(hashesOf(copy), hashesOf(notes))).toEqual([]);
        expect(readdirSync(copy.path('.roux/tmp')).length).toBeLessThan(500);
        expect(await b.run(['create', `Second ${round}`, '--vault', `copy ${round}`])).toMatchObject({ status: 0 });
        expect(readdirSync(copy.path('.roux/tmp'))).toEqual([]);
        expect(await a.run(['unshare', 'notes'])).toMatchObject({ status: 0 });
      }
      expect(kills).toBeGreaterThan(1);
    }));

  it('what was in the store when a share was killed, and is gone or has its name in other letters since, is so there too', () =>
    withHomes({ count: 1, password: PASSWORD }, async (a) => {
      const notes = a.folder('notes');
      fill(notes, 1_500);
      const url = store.url('changing', { password: null });
      const child = a.start(['share', url, 'notes']);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      const stored = () =>
        store.cluster.sql<{ path: string }>(
          `SELECT path FROM roux.file f JOIN roux.vault v ON v.id = f.vault WHERE name = 'changing'`,
          'team',
        );
      const [first, second] = await waitFor(async () => {
        const rows = await stored().catch(() => []);
        return rows.length > 1 ? rows : null;
      });
      child.kill('SIGKILL');
      await ended;
      expect(await a.run(['create', 'Meanwhile', '--vault', 'notes'])).toMatchObject({ status: 0 });
      notes.remove(first?.path ?? '');
      renameSync(notes.path(second?.path ?? ''), notes.path((second?.path ?? '').replace('note', 'NOTE')));
      expect(await a.run(['share', url, 'notes'])).toMatchObject({ status: 0 });
      expect(differing(await filesOf(await store.open('changing', { user: 'writer' })), hashesOf(notes))).toEqual([]);
    }));

  it('a clone that was killed is no vault to work in before it is whole', () =>
    withHomes({ count: 2, password: PASSWORD }, async (a, b) => {
      const notes = a.folder('notes');
      fill(notes, 1_500);
      const url = store.url('part', { password: null });
      await a.prepare(['share', url, 'notes']);
      const copy = b.folder('copy');
      const child = b.start(['clone', url, 'copy']);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      while (!copy.exists('area 1')) await setTimeout(1);
      child.kill('SIGKILL');
      await ended;
      expect(copy.files().length).toBeLessThan(notes.files().length);
      const refused = await b.run(['create', 'Early', '--vault', 'copy']);
      expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('cloning it did not come to its end') });
      expect(await b.run(['share', store.url('other', { password: null }), 'copy'])).toMatchObject({ status: 3 });
      expect(await b.run(['clone', url, 'copy'])).toMatchObject({ status: 0 });
      expect(differing(hashesOf(copy), hashesOf(notes))).toEqual([]);
    }));

  it.skipIf(!mayMount())('a disk that fills while cloning is told; with room the clone goes on', () =>
    withHomes({ count: 2, password: PASSWORD }, async (a, b) => {
      const notes = a.folder('notes');
      fill(notes, 300);
      const url = store.url('full', { password: null });
      await a.prepare(['share', url, 'notes']);
      const copy = b.folder('copy');
      copy.write('x', '');
      copy.remove('x');
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', copy.root]);
      try {
        const refused = await b.run(['clone', url, 'copy']);
        expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining('The disk is full') });
        execFileSync('mount', ['-o', 'remount,size=40m', copy.root]);
        expect(await b.run(['clone', url, 'copy'])).toMatchObject({ status: 0 });
        expect(differing(hashesOf(copy), hashesOf(notes))).toEqual([]);
      } finally {
        execFileSync('umount', ['-l', copy.root]);
      }
    }),
  );
});

/** Whether this user may mount a small file system. */
function mayMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    execFileSync('umount', ['-l', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
