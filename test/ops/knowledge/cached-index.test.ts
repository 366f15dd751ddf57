import { copyFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnowledgeIndex } from '../../../src/ops/knowledge/stored/knowledge-index.ts';
import type { Vault } from '../../../src/vault/vault.ts';
import { runs } from '../../support/effort.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const CACHE = '.roux/cache/knowledge';
const QUERIES = ['red', 'green roof', 'Ann summary', 'Bob tea', 'blue day', 'pea'];

/** Opens an index, and counts the notes that it reads. */
async function withIndex<T>(
  root: string,
  run: (index: KnowledgeIndex, vault: Vault, read: readonly string[]) => T | Promise<T>,
  isCaching = true,
): Promise<T> {
  return withOpen(
    root,
    (vault) => {
      const read: string[] = [];
      const readUnstable: Vault['notes']['readUnstable'] = (path) => (read.push(path), vault.notes.readUnstable(path));
      // A link that only a rename seen by this process leads anywhere is followed no further.
      const history: Vault['history'] = { ...vault.history, findMovedNote: () => null };
      const counted: Vault = { ...vault, history, notes: { ...vault.notes, readUnstable } };
      return run(new KnowledgeIndex(counted), counted, read);
    },
    { isFollowing: false, ...(isCaching ? { program: 'test' } : {}) },
  );
}

/** What an index answers. */
function answersOf(index: KnowledgeIndex): unknown {
  index.refresh();
  return index
    .groups()
    .map((group) => {
      const uuids = index.all().flatMap((stored) => (stored.kind === 'entity' ? stored.factUuids : stored.statementUuids));
      return {
        id: group.id,
        found: QUERIES.map((question) =>
          group.texts
            .index()
            .find({ question, earlier: '' }, { limit: Infinity, accept: () => true, neighbors: (key) => group.neighbors(key) }),
        ),
        facts: [...new Set(uuids)].sort().map((uuid) => group.fact(uuid)),
        entities: group
          .entities()
          .map(({ path, uuid, name, summary }) => ({ path, uuid, name, summary }))
          .sort(byPath),
        episodes: group
          .episodes()
          .map(({ path, uuid, statements }) => ({ path, uuid, statements }))
          .sort(byPath),
        single: group.isSingle('LIKES'),
      };
    })
    .filter(({ facts, entities, episodes }) => facts.length + entities.length + episodes.length > 0);
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1);

/** An index of the same notes that reads them all. */
function withoutCache(vault: Vault): KnowledgeIndex {
  return new KnowledgeIndex({ ...vault, cache: { ...vault.cache, loadDerived: () => null, saveLater: () => undefined } });
}

/** Answers of an index that knows nothing of earlier ones. */
const coldAnswers = (root: string): Promise<unknown> => withIndex(root, answersOf, false);

let seconds = 0;
/** Gives a file a time of its own that is long ago, so that nothing needs a second look. */
function age(path: string): void {
  seconds += 1;
  utimesSync(path, 1_600_000_000 + seconds, 1_600_000_000 + seconds);
}

function write(vault: TestVault, file: string, text: string): void {
  vault.write(file, text);
  age(vault.path(file));
}

const entity = (facts: readonly string[], properties = ''): string =>
  `---\ntype: entity\n${properties}---\n\n## Relations\n\n${facts.map((line) => `- ${line}\n`).join('')}`;

const episode = (text: string): string =>
  `---\ntype: episode\nsource: message\nreference_time: 2026-01-01\ncreated_at: 2026-01-01\ningest:\n  state: completed\n  hash: h\n  receipts: r\n---\n\n\`\`\`text\n${text}\n\`\`\`\n`;

const start = {
  'knowledge/g/entities/Ann.md': entity(
    ['LIKES [[Bob]]: Ann likes red tea. ^f-1', 'KNOWS [[other]]: A green roof.'],
    'id: e_a\nsummary: A summary.\n',
  ),
  'knowledge/g/entities/Bob.md': entity(['LIKES [[Tea]]: Bob likes tea. [single:: yes]'], 'id: e_b\nproperties:\n  colour: blue\n'),
  'knowledge/g/episodes/2026-01/one.md': episode('Ann: A red day. It was blue.\nBob: Peas and tea.'),
  'knowledge/g/plain.md': 'no entity\n',
  'other.md': '# Other\n',
};

function fill(vault: TestVault): void {
  for (const [file, text] of Object.entries(start)) write(vault, file, text);
}

describe('K-13 what is cached of the knowledge graph', () => {
  it('is all that a start reads; of what changed meanwhile it reads those notes again', () =>
    withVault({}, async (vault) => {
      fill(vault);
      const first = await withIndex(vault.root, (index, _, read) => ({ answers: answersOf(index), read: [...read] }));
      expect(first.read).toHaveLength(4);
      const again = await withIndex(vault.root, (index, _, read) => ({ answers: answersOf(index), read: [...read] }));
      expect(again).toEqual({ answers: first.answers, read: [] });
      write(vault, 'knowledge/g/entities/Bob.md', entity(['LIKES [[Tea]]: Bob likes green peas.']));
      const edited = await withIndex(vault.root, (index, _, read) => ({ answers: answersOf(index), read: [...read] }));
      expect(edited).toEqual({ answers: await coldAnswers(vault.root), read: ['knowledge/g/entities/Bob.md'] });
      expect(await withIndex(vault.root, (index, _, read) => (answersOf(index), [...read]))).toEqual([]);
    }));

  it('is not saved again for one note of many', () =>
    withVault({}, async (vault) => {
      fill(vault);
      for (let n = 0; n < 150; n += 1) write(vault, `knowledge/g/entities/n${n}.md`, entity([`KNOWS [[Ann]]: Number ${n}.`]));
      await withIndex(vault.root, answersOf);
      const before = vault.readBytes(CACHE);
      write(vault, 'knowledge/g/entities/n7.md', entity(['KNOWS [[Ann]]: Another.']));
      const answers = await withIndex(vault.root, answersOf);
      expect(vault.readBytes(CACHE).equals(before)).toBe(true);
      expect(answers).toEqual(await coldAnswers(vault.root));
      for (const n of [1, 2, 3]) write(vault, `knowledge/g/entities/n${n}.md`, entity(['KNOWS [[Ann]]: Another.']));
      await withIndex(vault.root, answersOf);
      expect(vault.readBytes(CACHE).equals(before)).toBe(false);
    }));

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)],
    ['half written', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['with a bit turned in its middle', (bytes: Buffer) => flip(bytes, bytes.length >> 1)],
    ['with a bit turned at its end', (bytes: Buffer) => flip(bytes, bytes.length - 1)],
    ['with a bit turned in its head', (bytes: Buffer) => flip(bytes, 20)],
    ['that is empty', () => Buffer.alloc(0)],
    ['that is garbage', () => Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7) % 256))],
  ])('is read anew from the notes where it is %s', (_, spoil) =>
    withVault({}, async (vault) => {
      fill(vault);
      const answers = await withIndex(vault.root, answersOf);
      writeFileSync(vault.path(CACHE), spoil(vault.readBytes(CACHE)));
      const again = await withIndex(vault.root, (index, __, read) => ({ answers: answersOf(index), read: read.length }));
      expect(again).toEqual({ answers, read: 4 });
      expect(await withIndex(vault.root, (index, __, read) => (answersOf(index), read.length))).toBe(0);
    }),
  );

  it('is not taken by another program, in another vault, or for another folder', () =>
    withVault({}, async (vault) => {
      fill(vault);
      const answers = await withIndex(vault.root, answersOf);
      await withOpen(
        vault.root,
        (other) => {
          expect(other.cache.loadDerived('knowledge')).toBeNull();
        },
        { isFollowing: false, program: 'another' },
      );
      await withVault({}, async (copy) => {
        fill(copy);
        mkdirSync(dirname(copy.path(CACHE)), { recursive: true });
        copyFileSync(vault.path(CACHE), copy.path(CACHE));
        const read = await withIndex(
          copy.root,
          (index, _, notes) => (expect(plain(answersOf(index))).toEqual(plain(answers)), notes.length),
        );
        expect(read).toBe(4);
      });
    }));

  it('equals what a new index would answer, whatever happened between starts and while it was open', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 }), (rounds) =>
        withVault({}, async (vault) => {
          fill(vault);
          await withIndex(vault.root, answersOf);
          for (const [round, edits] of rounds.entries()) {
            if (round % 2 === 0) for (const each of edits) apply(vault, each);
            await withIndex(vault.root, async (index, open) => {
              // Half of the starts search before something changes; an index that is not loaded yet has to follow as well.
              if (round % 2 === 1) {
                if (round % 4 === 1) answersOf(index);
                else index.refresh();
                for (const each of edits) apply(vault, each);
                await open.refresh('strict');
              }
              expect(answersOf(index)).toEqual(answersOf(withoutCache(open)));
            });
          }
        }),
      ),
      { numRuns: runs(28), examples: SEEN.map((rounds): [Edit[][]] => [rounds]) },
    );
  });
});

function flip(bytes: Buffer, at: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[at]! ^= 1;
  return flipped;
}

/** Without the times of files. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/2020-\d\d-\d\dT[\d:.]+Z/g, ''));
}

const name = fc.constantFrom('Ann', 'Bob', 'Tea', 'sub/Ann', 'New');
const file = name.map((each) => `knowledge/g/entities/${each}.md`);
const target = fc.constantFrom('Ann', 'Bob', 'Tea', 'sub/Ann', 'New', 'other', 'one');
const fact = fc
  .tuple(
    fc.constantFrom('LIKES', 'KNOWS'),
    target,
    fc.constantFrom('A red roof.', 'Green tea.', 'A blue day.', ''),
    fc.constantFrom('', ' ^f-1', ' ^f-2'),
  )
  .map(([relation, to, text, id]) => `${relation} [[${to}]]${text === '' ? '' : `: ${text}`}${id}`);
const properties = fc.constantFrom('', 'id: e_a\n', 'summary: A pea.\n', 'title: Bob\n', 'properties:\n  size: .inf\n  colour: green\n');

/** Something that happens to the files of a vault. */
type Edit =
  | { readonly kind: 'write'; readonly at: string; readonly text: string }
  | { readonly kind: 'remove' | 'touch'; readonly at: string }
  | { readonly kind: 'move' | 'copy'; readonly at: string; readonly to: string };

const EPISODE = 'knowledge/g/episodes/2026-01/one.md';
const OUTSIDE = ['other.md', 'deep/other.md', 'Tea.md'] as const;
/** What chance seldom gives and faults show in: a note that moves to the name of a link, and notes that lose their facts. */
const SEEN: readonly Edit[][][] = [
  [
    [
      { kind: 'write', at: 'other.md', text: '---\ntitle: Pea\n---\n' },
      { kind: 'write', at: 'knowledge/g/entities/Ann.md', text: entity([]) },
    ],
    [{ kind: 'move', at: 'other.md', to: 'Tea.md' }],
  ],
  [
    [
      { kind: 'write', at: 'knowledge/g/entities/Bob.md', text: entity([]) },
      { kind: 'write', at: EPISODE, text: episode('Ann: Red peas. Blue roofs.') },
    ],
    [{ kind: 'write', at: 'knowledge/g/entities/Ann.md', text: entity([]) }],
  ],
];
const toWrite =
  (at: string) =>
  (text: string): Edit => ({ kind: 'write', at, text });
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(file, fc.array(fact, { maxLength: 3 }), properties).map(([at, facts, more]) => toWrite(at)(entity(facts, more))),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: file }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), at: file, to: file }) },
  fc.record({ kind: fc.constant('copy' as const), at: file, to: file }),
  fc.record({ kind: fc.constant('touch' as const), at: file }),
  fc.constantFrom('---\ntitle: Pea\n---\n', '# Other\n').map(toWrite('other.md')),
  file.map((at) => toWrite(at)('---\ntype: thing\ntitle: Red\n---\n')),
  fc.constantFrom('Ann: Red peas. Blue roofs.', 'Bob: Tea.', '').map((text) => toWrite(EPISODE)(episode(text))),
  fc.record({ kind: fc.constant('move' as const), at: fc.constantFrom(...OUTSIDE), to: fc.constantFrom(...OUTSIDE) }),
);

/** Does nothing where the file is not there. */
function apply(vault: TestVault, change: Edit): void {
  if (change.kind === 'write') return write(vault, change.at, change.text);
  if (!vault.exists(change.at)) return;
  if (change.kind === 'remove') rmSync(vault.path(change.at));
  else if (change.kind === 'touch') age(vault.path(change.at));
  else if (change.kind === 'copy') write(vault, change.to, vault.read(change.at));
  else if (change.kind === 'move') moveTo(vault, change.at, change.to);
}

function moveTo(vault: TestVault, from: string, to: string): void {
  if (from === to) return;
  mkdirSync(dirname(vault.path(to)), { recursive: true });
  renameSync(vault.path(from), vault.path(to));
  age(vault.path(to));
}
