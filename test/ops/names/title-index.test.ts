import { describe, expect, it } from 'vitest';
import { Titles } from '../../../src/ops/notes/page/find/title-index.ts';
import { matchTitle } from '../../../src/ops/notes/page/find/title-match.ts';
import type { Vault } from '../../../src/vault/vault.ts';
import { numbersFrom } from '../../support/random.ts';

interface Named {
  readonly path: string;
  readonly title: string;
  readonly aliases: readonly string[];
  /** In milliseconds; several notes were changed in the same one. */
  readonly changed: number;
}

/** Opens the names of notes. */
function openNames(notes: readonly Named[]) {
  const entries = notes.map((note) => ({ ...note, isHidden: false, stamp: { mtimeNs: BigInt(note.changed) * 1_000_000n } }));
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const graph = { version: 1, size: entries.length, entries: () => entries, get: (path: string) => byPath.get(path) ?? null };
  return new Titles({ graph } as unknown as Vault);
}

/** Names of a few letters, so that many match in each way. */
function makeNames(count: number): readonly Named[] {
  const next = numbersFrom(11);
  const word = (): string => Array.from({ length: 1 + Math.floor(next() * 4) }, () => 'abcd'[Math.floor(next() * 4)] ?? 'a').join('');
  const name = (): string => Array.from({ length: 1 + Math.floor(next() * 3) }, word).join(' ');
  return Array.from({ length: count }, (_, at) => ({
    path: `${next() < 0.3 ? 'tasks/' : ''}${word()} ${at}.md`,
    title: name(),
    aliases: next() < 0.4 ? [name(), name()] : [],
    changed: Math.floor(next() * 100),
  }));
}

const MACHINE = -150;
const rank = (path: string): number => (path.startsWith('tasks/') ? MACHINE : 0);
const { signal } = new AbortController();

describe('U-07 names of many notes', () => {
  it('U-07 finds the same notes as a comparison of every name', async () => {
    const notes = makeNames(2_000);
    const titles = openNames(notes);
    for (const query of ['a', 'b', 'ab', 'cd', 'abc', 'a b', 'dd a', 'abcd', 'dcba', 'bad cab', 'a 17', '1999', 'aaaa aaaa'])
      for (const limit of [1, 5, 12]) {
        const all = notes.flatMap(({ path, title, aliases }) => {
          const file = path.replace(/^.*\//, '').replace(/\.md$/, '');
          const scores = [title, ...aliases, file].flatMap((name) => matchTitle(name, query)?.score ?? []);
          return scores.length === 0 ? [] : [{ path, score: Math.max(...scores) + rank(path) }];
        });
        const wanted = all.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, limit);
        const found = await titles.find(query, { limit, rank, signal });
        expect(
          found.map(({ path, score }) => ({ path, score })),
          query,
        ).toEqual(wanted);
      }
  });

  it('U-07 lists the notes that were changed last, of those that are wanted', async () => {
    const notes = makeNames(500);
    const titles = openNames(notes);
    const wanted = notes
      .filter(({ path }) => rank(path) === 0)
      .toSorted((a, b) => b.changed - a.changed || notes.indexOf(a) - notes.indexOf(b));
    const found = await titles.changedLast(20, (path) => rank(path) === 0);
    expect(found).toEqual(wanted.slice(0, 20).map(({ path }) => path));
  });

  it('V-14 a question that nobody waits for any more is not answered to its end', async () => {
    const titles = openNames(makeNames(2_000));
    const asked = new AbortController();
    let ranked = 0;
    const found = titles.find('a', {
      limit: 12,
      rank: () => {
        ranked += 1;
        asked.abort();
        return 0;
      },
      signal: asked.signal,
    });
    expect(await found).toEqual([]);
    expect(ranked).toBe(1);
  });
});
