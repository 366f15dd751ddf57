import { expect, it } from 'vitest';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { hashOf } from '../../../src/store/folder/hash.ts';
import type { StoredFile } from '../../../src/store/store.ts';
import { answerTo, isCommitted } from '../../../src/vault/plan/planned-write.ts';
import type { Plan } from '../../../src/vault/plan/plan.ts';
import { prepare } from '../../../src/vault/plan/prepare.ts';
import { notePath } from '../../crash/scenarios.ts';
import { uncounted } from '../../support/open-test-writer.ts';

const texts: Readonly<Record<string, string>> = {
  'a.md': '---\nrev: 2\n---\nA\n',
  'b.md': 'B\n',
  'c.md': 'C\n',
  'd.md': 'D\n',
  'p.png': 'P',
};
const read = (path: string): Promise<StoredFile | null> => {
  const bytes = Buffer.from(texts[path] ?? '');
  return Promise.resolve({ path, bytes, hash: hashOf(bytes), isLinked: false, state: { size: bytes.length } } as StoredFile);
};
const plan: Plan = {
  files: [
    { kind: 'change', path: notePath('b.md'), changes: [{ op: 'body', text: 'B\n' }] },
    {
      kind: 'change',
      path: notePath('a.md'),
      changes: [
        { op: 'set', key: ['x'], value: 1 },
        { op: 'touch', at: 'now' },
      ],
    },
    { kind: 'move', from: 'c.md', to: 'x.md', changes: [] },
    { kind: 'move', from: 'p.png', to: 'q.png', changes: [] },
    { kind: 'remove', path: 'd.md', to: 'trash' },
    { kind: 'create', path: 'new.md', text: '---\nrev: 1\n---\n' },
  ],
};

it('F14 an answer has the hash and revision of each file, as on disk after the write, else as planned', async () => {
  const prepared = await prepare(plan, { ...uncounted, read, graph: openGraph() });
  const a = '---\nrev: 3\nx: 1\nupdated_at: now\n---\nA\n';
  const planned = answerTo(plan, prepared, null);
  const hashOfA = planned.files[1]?.hash;
  expect(planned).toEqual({
    batch: null,
    events: [],
    warnings: [],
    files: [
      { path: 'b.md', hash: hashOf('B\n'), rev: 0, changed: false },
      { path: 'a.md', hash: hashOfA, rev: 3, changed: true },
      { path: 'x.md', hash: hashOf('C\n'), rev: 1, changed: true },
      { path: 'q.png', hash: hashOf('P'), rev: null, changed: true },
      { path: 'd.md', hash: null, rev: null, changed: true },
      { path: 'new.md', hash: hashOf('---\nrev: 1\n---\n'), rev: 1, changed: true },
    ],
  });
  expect([hashOf(prepared[1]?.sides.after ?? ''), prepared[1]?.sides.after?.length]).toEqual([hashOfA, a.length]);
  // In the order of the changed files; for one that was merged with a save, what is there.
  const onDisk = answerTo(plan, prepared, ['disk a', 'disk x', 'disk q', null, 'disk new']);
  expect(onDisk.files.map(({ hash }) => hash)).toEqual([hashOf('B\n'), 'disk a', 'disk x', 'disk q', null, 'disk new']);
});

it('X-23 the warnings and the result of a plan are in its answer', async () => {
  const prepared = await prepare({ files: [] }, { ...uncounted, read, graph: openGraph() });
  expect(answerTo({ files: [], warnings: ['w'], result: null }, prepared, null)).toEqual({
    batch: null,
    files: [],
    events: [],
    warnings: ['w'],
    result: null,
  });
});

it('F18 what is stored under an idempotency key is an answer if it has files and a batch', () => {
  for (const value of [null, undefined, 'text', [], { files: [] }, { batch: null }]) expect(isCommitted(value)).toBe(false);
  expect(isCommitted({ files: [], batch: null })).toBe(true);
});
