import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CheckoutFiles } from '../../../src/git/checkout-files.ts';
import { readIndex } from '../../../src/git/index-file.ts';
import { findDeadAnchors } from '../../../src/vault/code/find-dead-anchors.ts';
import { findTouched } from '../../../src/vault/code/find-touched.ts';
import { findUnconfirmed } from '../../../src/vault/code/find-unconfirmed.ts';
import { runs } from '../../support/effort.ts';
import { hasGit, withGitVault } from '../../support/git.ts';
import { withOpen } from '../../support/open.ts';
import { randomOf } from '../../support/random.ts';
import { withVault } from '../../support/vault.ts';
import { bombObjects, commitText, HEAD_COMMIT, idOf, makeRepository, treeEntry, writePack } from './bombs.ts';

const NOTE = '---\napplies_to: [src/**, gone.ts, d/d/d/*.ts]\n---\n';

/** Everything that is asked about code, with what is said of it. */
function askAll(root: string): Promise<readonly string[]> {
  return withOpen(root, async (vault) => {
    const said: string[] = [];
    said.push(...(await findDeadAnchors(vault)).incomplete, ...(await findUnconfirmed(vault)).incomplete);
    await findTouched(vault, 'HEAD').then(
      ({ incomplete }) => said.push(...incomplete),
      (error: unknown) => said.push(String(error)),
    );
    return said;
  });
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
        expect(await askAll(vault.root)).toEqual([]);
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

  it('H-05 objects that claim gigabytes, and trees that hold themselves, end with a word about it', { timeout: 120_000 }, () =>
    withVault({ 'n.md': NOTE }, async (vault) => {
      const [tree, blob] = ['tree', 'blob'].map(idOf) as [string, string];
      const git = makeRepository(vault.root, HEAD_COMMIT);
      writePack(git, bombObjects('tree'));
      expect((await askAll(vault.root)).join('\n')).toMatch(/git|bytes/);
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
      expect(await askAll(vault.root)).toBeInstanceOf(Array);
    }),
  );
});
