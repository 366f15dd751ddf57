import { expect, it } from 'vitest';
import { findTouched } from '../../../src/vault/code/find-touched.ts';
import { findUnconfirmed } from '../../../src/vault/code/find-unconfirmed.ts';
import { hasGit, withGitVault } from '../../support/git.ts';
import { withOpen } from '../../support/open.ts';

const NOTES = 1_000;
const FOLDERS = 50;
const CHANGED = 100;

it.skipIf(!hasGit)('G-02 1,000 notes and a diff of 100 files take one walk of the commits and few objects of git', () => {
  const codeOf = (n: number): string => `src/m${n % FOLDERS}/f${n}.ts`;
  const files = Array.from({ length: NOTES }, (_, n): [string, string][] => [
    [codeOf(n), `line ${n}\n`],
    [`notes/d${n % 40}/n${n}.md`, `---\napplies_to: ${codeOf(n)}\n---\nNote ${n}\n`],
  ]);
  return withGitVault(Object.fromEntries(files.flat()), async (vault) => {
    for (let n = 0; n < CHANGED; n++) vault.write(codeOf(n), `other ${n}\n`);
    vault.commit('changed');
    await withOpen(vault.path('notes'), async (opened) => {
      const touched = await findTouched(opened, 'HEAD~1');
      expect(touched.findings).toHaveLength(CHANGED);
      const unconfirmed = await findUnconfirmed(opened);
      expect(unconfirmed.findings).toHaveLength(CHANGED);
      // Two commits, and each folder of both once; the files themselves are not read.
      const most = 2 * (FOLDERS + 40 + 5);
      expect(touched.objectsRead).toBeLessThan(most + CHANGED);
      expect(unconfirmed.objectsRead).toBeLessThan(most + CHANGED);
    });
  });
});
