import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemCode } from '../../../src/errors.ts';
import type { CountedVault } from '../../../src/vault/open-vault.ts';
import { runs } from '../../support/effort.ts';
import { answersOf, withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const names = ['a.md', 'b.md', 'B.md', 'x/a.md', 'x/c.md', 'x/y/d.md', 'z/e.md', 'z/pic.png', 'é.md'];
const folders = ['x', 'x/y', 'z', 'w'];
const name = fc.constantFrom(...names);
const folder = fc.constantFrom(...folders);
const text = fc
  .record({
    id: fc.option(fc.constantFrom('t_1', 't_2'), { nil: null }),
    links: fc.array(fc.constantFrom('a', 'b', 'c', 'x/a', 'y/d', 'pic.png', 'nowhere', 'É'), { maxLength: 3 }),
    tag: fc.constantFrom('one', 'two'),
  })
  .map(({ id, links, tag }) => `${id === null ? '' : `---\nid: ${id}\n---\n`}#${tag} ${links.map((link) => `[[${link}]]`).join(' ')}`);

type Step =
  | { readonly kind: 'write' | 'replace'; readonly name: string; readonly text: string }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'move'; readonly name: string; readonly to: string }
  | { readonly kind: 'swap'; readonly name: string; readonly to: string }
  | { readonly kind: 'move-folder'; readonly name: string; readonly to: string }
  | { readonly kind: 'remove-folder'; readonly name: string }
  | { readonly kind: 'look' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('write' as const, 'replace' as const), name, text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('move' as const, 'swap' as const), name, to: name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move-folder' as const), name: folder, to: folder }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove-folder' as const), name: folder }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'look' as const }) },
);

/** Does it as a person would; what the file system refuses is nothing. */
function act(files: TestVault, action: Exclude<Step, { kind: 'look' }>): void {
  const at = (path: string) => files.path(path);
  try {
    switch (action.kind) {
      case 'write':
        files.write(action.name, action.text);
        break;
      case 'replace':
        mkdirSync(dirname(at(action.name)), { recursive: true });
        writeFileSync(at('.new.tmp'), action.text);
        renameSync(at('.new.tmp'), at(action.name));
        break;
      case 'remove':
      case 'remove-folder':
        rmSync(at(action.name), { recursive: true });
        break;
      case 'swap':
        renameSync(at(action.name), at('.swap.tmp'));
        renameSync(at(action.to), at(action.name));
        renameSync(at('.swap.tmp'), at(action.to));
        break;
      case 'move':
      case 'move-folder':
        renameSync(at(action.name), at(action.to));
        break;
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === null || !['ENOENT', 'ENOTEMPTY', 'EINVAL', 'ENOTDIR', 'EISDIR', 'EEXIST'].includes(code)) throw error;
  }
}

const freshAnswers = (root: string): Promise<unknown> =>
  withOpen(root, (vault) => answersOf(vault.graph, { withStamps: true }), { isFollowing: false });

const start = { 'a.md': '#one [[b]]', 'b.md': '[[a]]', 'x/c.md': '[[d]]', 'x/y/d.md': '[[a]]', 'z/e.md': '![[pic.png]]', 'z/pic.png': '' };

describe('convergence', () => {
  it('a strict refresh equals a fresh rebuild after any changes', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), (steps) =>
        withVault(start, (files) =>
          withOpen(
            files.root,
            async (vault) => {
              const looks: { ours: unknown; fresh: unknown }[] = [];
              for (const action of [...steps, { kind: 'look' as const }]) {
                if (action.kind !== 'look') act(files, action);
                else {
                  await vault.refresh('strict');
                  looks.push({ ours: answersOf(vault.graph, { withStamps: true }), fresh: await freshAnswers(files.root) });
                }
              }
              expect(looks.map(({ ours }) => ours)).toEqual(looks.map(({ fresh }) => fresh));
            },
            { isFollowing: false },
          ),
        ),
      ),
      { numRuns: runs(20) },
    ));

  it('S2-34 following alone equals a fresh rebuild once things are quiet', () =>
    fc
      .assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) =>
          withVault(start, (files) =>
            withOpen(
              files.root,
              async (vault: CountedVault) => {
                for (const action of steps) {
                  if (action.kind === 'look') await vault.refresh('changed');
                  else act(files, action);
                }
                const fresh = JSON.stringify(await freshAnswers(files.root), jsonValue);
                await waitFor(() => JSON.stringify(answersOf(vault.graph, { withStamps: true }), jsonValue) === fresh, {
                  what: 'the same answers as a fresh rebuild',
                });
              },
              // No comparison on a timer: what is found here is found by events.
              { pace: { idle: 3_600_000 } },
            ),
          ),
        ),
        { numRuns: runs(6) },
      )
      .then(() => expect(true).toBe(true)));
});

const jsonValue = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
