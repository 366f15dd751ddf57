import { expect, it } from 'vitest';
import { hashOf } from '../../../src/store/folder/hash.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import type { StoredFile } from '../../../src/store/store.ts';
import type { Plan } from '../../../src/vault/plan/plan.ts';
import { prepare } from '../../../src/vault/plan/prepare.ts';
import { unsettledLinks, withUnsettled } from '../../../src/vault/plan/unsettled.ts';
import { notePath } from '../../crash/scenarios.ts';
import { noteOf } from '../../graph/graph-of.ts';
import { uncounted } from '../../support/open-test-writer.ts';

/** Plans with notes as they were seen, and as they are on disk. */
async function linksLeft(plan: Plan, seen: Readonly<Record<string, string>>, onDisk: Readonly<Record<string, string>> = {}) {
  const graph = openGraph();
  for (const [path, text] of Object.entries(seen))
    graph.put(noteOf(path, text), { stamp: { size: 1, mtimeNs: 1n, ctimeNs: 1n, ino: 1n }, hash: hashOf(text) });
  const read = (path: string): Promise<StoredFile> => {
    const bytes = Buffer.from(onDisk[path] ?? seen[path] ?? '');
    return Promise.resolve({ path, bytes, hash: hashOf(bytes), isLinked: false, state: { size: bytes.length } } as StoredFile);
  };
  const asked: string[][] = [];
  const prepared = await prepare(plan, { ...uncounted, read, graph });
  const unsettled = {
    linksTo: (targets: ReadonlySet<string>) => (asked.push([...targets]), [{ from: 'saving.md', to: [...targets][0] ?? '' }]),
  };
  return { links: unsettledLinks({ plan, prepared, graph, unsettled }), asked };
}

const change = (path: string) => ({ kind: 'change', path: notePath(path), changes: [{ op: 'set', key: ['x'], value: 1 }] }) as const;
const move = (from: string, to: string) => ({ kind: 'move', from, to, changes: [] }) as const;

it('H-14 links to what moves are asked for, and those that a note on disk has lost since it was seen', async () => {
  const seen = { 'alpha.md': '[[alpha]]\n', 'b.md': '[[alpha]] [[gamma]] [[nowhere]]\n', 'gamma.md': '', 'd.md': '[[alpha]]\n' };
  const onDisk = { 'alpha.md': 'saving\n', 'b.md': 'saving\n', 'd.md': '[[alpha]] more\n' };
  const saving = { from: 'saving.md', to: 'alpha.md' };
  const plan: Plan = {
    files: [move('alpha.md', 'z.md'), change('b.md'), change('d.md'), { kind: 'create', path: 'new.md', text: '[[alpha]]' }],
  };
  expect(await linksLeft(plan, seen, onDisk)).toEqual({ links: [saving, { from: 'b.md', to: 'alpha.md' }], asked: [['alpha.md']] });
  // As they were seen, nothing is lost, whatever the text says.
  expect((await linksLeft(plan, { ...seen, 'b.md': '[x](al%70ha.md)\n' })).links).toEqual([saving]);
  // A note whose headings change is a target as well.
  const linked: Plan = { files: [change('b.md')], linked: ['gamma.md', 'alpha.md'] };
  expect(await linksLeft(linked, seen, onDisk)).toEqual({
    links: [
      { from: 'saving.md', to: 'gamma.md' },
      { from: 'b.md', to: 'alpha.md' },
      { from: 'b.md', to: 'gamma.md' },
    ],
    asked: [['gamma.md', 'alpha.md']],
  });
  expect(await linksLeft({ files: [change('b.md')] }, seen, onDisk)).toEqual({ links: [], asked: [] });
  // A short name is in many a word; another form of the link still leads there.
  const short = { 'a.md': '', 'b.md': '[[a]]\n', 'd.md': '[[a]]\n', 'e.md': '[[a]] [[a]]\n' };
  const edited = { 'b.md': 'a half saved text\n', 'd.md': '[x](./a.md)\n', 'e.md': 'more [[a]]\n' };
  const shortPlan: Plan = { files: [move('a.md', 'z.md'), change('b.md'), change('d.md'), change('e.md')] };
  expect((await linksLeft(shortPlan, short, edited)).links).toEqual([
    { from: 'saving.md', to: 'a.md' },
    { from: 'b.md', to: 'a.md' },
  ]);
  expect((await linksLeft({ files: [move('p.canvas', 'q.canvas')] }, seen)).links).toEqual([{ from: 'saving.md', to: 'p.canvas' }]);
});

it('H-14 each of them is a warning of the plan, once', () => {
  const plan: Plan = { files: [], warnings: ['first'] };
  expect(withUnsettled(plan, [])).toBe(plan);
  const link = { from: 'b.md', to: 'a.md' };
  const warned = withUnsettled(plan, [link, link, { ...link, from: 'c.md' }]).warnings;
  expect(warned).toEqual(['first', expect.stringMatching(/^b\.md .*a\.md/), expect.stringMatching(/^c\.md .*a\.md/)]);
  expect(withUnsettled<Plan>({ files: [] }, [link]).warnings).toHaveLength(1);
});
