import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CheckoutFiles } from '../../../src/git/checkout-files.ts';
import { readIndex } from '../../../src/git/index-file.ts';
import { findDeadAnchors } from '../../../src/vault/code/find-dead-anchors.ts';
import { findTouched } from '../../../src/vault/code/find-touched.ts';
import { findUnconfirmed } from '../../../src/vault/code/find-unconfirmed.ts';
import type { CountedVault } from '../../../src/vault/open-vault.ts';
import { runs, turnAt } from '../../support/effort.ts';
import { hasGit, withGitVault } from '../../support/git.ts';
import { withOpen } from '../../support/open.ts';
import { randomOf } from '../../support/random.ts';
import { withVault } from '../../support/vault.ts';
import { bombObjects, commitText, HEAD_COMMIT, idOf, makeRepository, treeEntry, writePack } from './bombs.ts';

const NOTE = '---\napplies_to: [src/**, gone.ts, d/d/d/*.ts]\n---\n';

/** Everything that is asked about code. */
const QUESTIONS: readonly ((vault: CountedVault) => Promise<{ readonly incomplete: readonly string[] }>)[] = [
  findDeadAnchors,
  findUnconfirmed,
  (vault) => findTouched(vault, 'HEAD').catch((error: unknown) => ({ incomplete: [String(error)] })),
];

/** Asks about code, and gives what is said of it. */
function ask(root: string, questions = QUESTIONS): Promise<readonly string[]> {
  return withOpen(root, async (vault) => {
    const said: string[] = [];
    for (const question of questions) said.push(...(await question(vault)).incomplete);
    return said;
  });
}

/** An entry of an index of version 4: how many bytes it removes from the end of the path before it, and what it adds. */
interface IndexPath {
  readonly removes: number;
  readonly adds: string;
}

function indexOf(paths: readonly IndexPath[]): Buffer {
  const head = Buffer.alloc(12, 'DIRC');
  head.writeUInt32BE(4, 4);
  head.writeUInt32BE(paths.length, 8);
  const state = Buffer.alloc(62);
  return Buffer.concat([head, ...paths.flatMap(({ removes, adds }) => [state, Buffer.from([removes]), Buffer.from(`${adds}\0`)])]);
}

describe.skipIf(!hasGit)('G-01 the repository of a vault from anywhere', () => {
  it('H-05 programs in its configuration, hooks and attributes are not started while code is compared', () =>
    withGitVault({ 'n.md': NOTE, 'src/a.ts': 'a\n' }, (vault) =>
      withVault({}, async (outside) => {
        const [marker, program] = [outside.path('marker'), outside.path('program')];
        writeFileSync(program, `#!/bin/sh\necho started >> '${marker}'\n`);
        chmodSync(program, 0o755);
        vault.write('src/a.ts', 'b\n');
        vault.commit('second');
        for (const key of [
          'core.fsmonitor',
          'core.hooksPath',
          'diff.external',
          'filter.x.clean',
          'filter.x.smudge',
          'diff.x.textconv',
          'core.pager',
        ])
          execFileSync('git', ['config', '--file', vault.path('.git/config'), key, program]);
        vault.write('.gitattributes', '* filter=x diff=x\n');
        vault.write('src/a.ts', 'c\n');
        expect(await ask(vault.root)).toEqual([]);
        expect(existsSync(marker)).toBe(false);
      }),
    ));

  it('an index that names what lies behind a link reads nothing there, and says nothing of it', () =>
    withGitVault({ 'n.md': NOTE, 'src/secret.ts': 'a\n' }, (vault) =>
      withVault({ 'secret.ts': 'a\n', 'other.ts': 'x\n' }, (outside) => {
        vault.remove('src');
        symlinkSync(outside.root, vault.path('src'));
        const files = new CheckoutFiles(vault.root, readIndex(vault.path('.git'), 20));
        expect(files.idOf('src/secret.ts')).toBeNull();
        expect(files.changedMs('src/secret.ts')).toBeNull();
        expect([files.find('src/other.ts'), files.find('src/none.ts'), files.find('src')]).toEqual(['unseen', 'unseen', 'file']);
        expect([...files.walk('src')]).toEqual([]);
        expect(files.find('.git/config')).toBeNull();
      }),
    ));

  it('H-05 an index whose few bytes stand for long paths is none; what is too deep, or has a name too long for a file, is not there', () =>
    withVault({ 'n.md': NOTE }, (vault) => {
      const own = makeRepository(vault.root, HEAD_COMMIT);
      const read = (paths: readonly IndexPath[]) => {
        writeFileSync(join(own, 'index'), indexOf(paths));
        return readIndex(own, 20);
      };
      // Almost as long as a path may be, so that few entries stand for all bytes that are read.
      const long = 'd'.repeat(4_000);
      expect(read([{ removes: 0, adds: 'a'.repeat(5_000) }])).toBeNull();
      expect(
        read([
          { removes: 0, adds: `${long}00` },
          ...Array.from({ length: 34_000 }, (_, at) => ({ removes: 2, adds: String(10 + (at % 90)) })),
        ]),
      ).toBeNull();
      expect(read([{ removes: 0, adds: `${'d/'.repeat(100)}f` }])?.entries).toEqual([]);
      const name = 'x'.repeat(300);
      const files = new CheckoutFiles(vault.root, read([{ removes: 0, adds: name }]));
      expect([files.paths, files.idOf(name), files.changedMs(name), files.find(name)]).toEqual([[name], null, null, null]);
    }));

  it.skipIf(process.getuid?.() === 0)('of a file in a folder that this user may not look into, nothing is known', () =>
    withGitVault({ 'n.md': NOTE, 'src/a.ts': 'a\n' }, (vault) => {
      chmodSync(vault.path('src'), 0);
      try {
        const files = new CheckoutFiles(vault.root, readIndex(vault.path('.git'), 20));
        expect([files.idOf('src/a.ts'), files.find('src/a.ts')]).toEqual([undefined, 'unseen']);
      } finally {
        chmodSync(vault.path('src'), 0o755);
      }
    }),
  );

  it('a damaged index is none, or names files below the top', () =>
    withGitVault({ 'n.md': NOTE, 'src/a.ts': 'a\n', 'src/long/b.ts': 'b\n' }, (vault) => {
      const random = randomOf('indexes');
      for (const version of ['2', '4']) {
        vault.git('update-index', '--index-version', version);
        const whole = readFileSync(vault.path('.git/index'));
        for (let round = 0; round < runs(400); round++) {
          const bytes = Buffer.from(whole.subarray(0, random.chance(0.3) ? random.below(whole.length) : whole.length));
          for (let left = random.below(4); left >= 0 && bytes.length > 0; left -= 1) bytes[random.below(bytes.length)] = random.below(256);
          writeFileSync(vault.path('.git/index'), bytes);
          const paths = readIndex(vault.path('.git'), 20)?.entries.map(({ path }) => path) ?? [];
          expect(paths.filter((path) => join('/top', path).startsWith('/top/') === false || path.split('/').includes('..'))).toEqual([]);
        }
      }
    }));

  it('H-05 objects that claim gigabytes, and trees that hold themselves, end with a word about it', () =>
    withVault({ 'n.md': NOTE }, async (vault) => {
      const [tree, blob] = ['tree', 'blob'].map(idOf) as [string, string];
      const git = makeRepository(vault.root, HEAD_COMMIT);
      writePack(git, bombObjects('tree'));
      expect((await ask(vault.root)).join('\n')).toMatch(/git|bytes/);
      vault.remove('.git');
      const own = makeRepository(vault.root, HEAD_COMMIT);
      const nested = Buffer.concat([
        ...Array.from({ length: 200 }, (_, at) => treeEntry('40000', `d${at}`, tree)),
        treeEntry('100644', 'n.md', blob),
      ]);
      writePack(own, [
        { id: HEAD_COMMIT, type: 'commit', bytes: commitText(tree, '') },
        { id: tree, type: 'tree', bytes: nested },
        { id: blob, type: 'blob', bytes: Buffer.from('x\n') },
      ]);
      // All compare trees by the same walk, which goes on for seconds before it gives up.
      expect(await ask(vault.root, turnAt(0, QUESTIONS))).toEqual([]);
    }));
});
