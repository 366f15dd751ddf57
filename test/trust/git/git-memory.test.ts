import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sample } from '../../support/effort.ts';
import { hasGit } from '../../support/git.ts';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { useOnce } from '../../support/program/use-once.ts';
import { withVault } from '../../support/vault.ts';
import { bombObjects, commitText, HEAD_COMMIT as commit, idOf, makeRepository, repeated, treeEntry, writePack } from './bombs.ts';
import type { PackedObject } from './bombs.ts';

const MB = 1024 * 1024;

interface Peak {
  readonly status: number | null;
  readonly output: string;
  /** The most memory that the program had, in bytes, and the most that a program started by it had. */
  readonly own: number;
  readonly git: number;
}

/** Runs the built program, and looks all the time at what it and its children take (`VmHWM`, which only grows). */
function measure(args: readonly string[]): Promise<Peak> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { env: testEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, own, git] = ['', 0, 0];
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const timer = setInterval(() => {
      own = Math.max(own, peakOf(child.pid ?? 0));
      for (const pid of childrenOf(child.pid ?? 0)) git = Math.max(git, peakOf(pid));
    }, 15);
    child.on('close', (status) => {
      clearInterval(timer);
      resolve({ status, output, own, git });
    });
  });
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    // It ended meanwhile.
    return 0;
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

const [tree, blob] = ['tree', 'blob'].map(idOf) as [string, string];
const plainTree: PackedObject = { id: tree, type: 'tree', bytes: treeEntry('100644', 'a.md', blob) };

/** What a small pack can hold whose objects claim more than 6 GB. */
const PACKS = [
  { what: 'a note', objects: bombObjects('blob') },
  { what: 'a tree', objects: bombObjects('tree') },
  { what: 'a commit', objects: bombObjects('commit') },
];

// Each look may take git's 15 seconds, on a machine that is busy besides.
const TIMEOUT_MS = 400_000;

describe.skipIf(!hasGit || process.platform !== 'linux')(
  'H-05 what the repository of a vault can make git and roux take',
  { timeout: TIMEOUT_MS },
  () => {
    /** The memory that the program has where it asks git nothing. */
    const plainPeak = useOnce<number>((use) =>
      withVault({ 'a.md': 'now\n' }, async (vault) => use((await measure(['get', 'a', '--vault', vault.root])).own)),
    );

    it.each(PACKS.map((pack, turn) => ({ ...pack, turn })))(
      '$what that claims 6 GB in a pack of some KB is refused, within 200 MB',
      ({ objects, turn }) =>
        withVault({ 'a.md': 'now\n' }, async (vault) => {
          const length = writePack(makeRepository(vault.root, commit), objects);
          expect(length).toBeLessThan(40_000);
          const plain = await plainPeak();
          for (const when of sample([commit, 'HEAD', commit.slice(0, 10), '2024-01-01', '7'], 3, turn)) {
            const { status, output, own, git } = await measure(['get', 'a', '--at', when, '--vault', vault.root]);
            expect([when, status !== 0, git < 200 * MB, own < plain + 200 * MB], `${output} ${own} ${git}`).toEqual([
              when,
              true,
              true,
              true,
            ]);
            expect(output).toContain('git');
          }
        }),
    );

    it('trees that name themselves a million times over, nested, and a history of such trees: an error that says what to do, within 200 MB', () =>
      withVault({ 'a.md': 'now\n', 'd/d/d/d/d/d/d/d/a.md': 'now\n' }, async (vault) => {
        // 8 MB of entries that lead to the same tree; many commits, each with a tree of its own that is nearly the same.
        const entry = treeEntry('40000', 'd', tree);
        const entries = Buffer.concat(Array.from({ length: Math.floor((8 * MB) / entry.length) }, () => entry));
        const commits = Array.from({ length: 400 }, (_, index) => idOf(`commit ${index}`));
        const trees = commits.map((_, index) => idOf(`tree ${index}`));
        const objects: PackedObject[] = [{ id: tree, type: 'tree', bytes: entries }];
        for (const [index, id] of commits.entries()) {
          const next = commits[index + 1];
          objects.push({ id: trees[index] ?? '', base: tree, delta: repeated(entries.length, 3) });
          objects.push({ id, type: 'commit', bytes: commitText(trees[index] ?? '', next === undefined ? '' : `parent ${next}\n`) });
        }
        writePack(makeRepository(vault.root, commits[0] ?? ''), objects);
        const plain = await plainPeak();
        for (const [reference, when] of [
          ['a.md', '7'],
          ['d/d/d/d/d/d/d/d/a.md', '7'],
          ['d/d/d/d/d/d/d/d/a.md', commits[0] ?? ''],
        ] as const) {
          const { status, output, own, git } = await measure(['get', reference, '--at', when, '--vault', vault.root]);
          expect([status !== 0, git < 200 * MB, own < plain + 200 * MB], `${output} ${own} ${git}`).toEqual([true, true, true]);
        }
      }));

    it('a commit with a million parents, and millions of lines of references, are refused or passed over', () =>
      withVault({ 'a.md': 'now\n' }, async (vault) => {
        const parents = `parent ${idOf('none')}\n`.repeat(200_000);
        const git = makeRepository(vault.root, commit);
        const text = commitText(tree, parents);
        writePack(git, [{ id: commit, type: 'commit', bytes: text }, plainTree, { id: blob, type: 'blob', bytes: Buffer.from('then\n') }]);
        expect((await measure(['get', 'a', '--at', 'HEAD', '--vault', vault.root])).status).not.toBe(0);
        vault.write('.git/HEAD', 'ref: refs/heads/main\n');
        vault.write('.git/packed-refs', `${'\n'.repeat(15 * MB)}${commit} refs/heads/main\n`);
        const plain = await plainPeak();
        const { own, status } = await measure(['get', 'a', '--at', 'HEAD', '--vault', vault.root]);
        expect([status !== 0, own < plain + 100 * MB], String(own - plain)).toEqual([true, true]);
      }));
  },
);
