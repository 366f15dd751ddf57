import { describe, expect, it } from 'vitest';
import { toNotePath } from '../../../src/note/path.ts';
import type { OpenFileSystem } from '../../../src/store/folder/file-system.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { planRename } from '../../../src/vault/links/rename.ts';
import type { CountedVault } from '../../../src/vault/open-vault.ts';
import { isLong } from '../../support/effort.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };
const NOTES = isLong ? 2_000 : 400;
const BACKLINKS = NOTES / 2;

/** A folder of notes that nobody links to. */
const OUTER = NOTES / 10 - 5;

/** Each note in a folder of ten; the first half links to the hub, and every folder has an index of the same name. */
const manyNotes = (): Record<string, string> => {
  const files: Record<string, string> = { 'Hub.md': 'The hub.\n' };
  for (let number = 0; number < NOTES - 1; number++) {
    const folder = `f${Math.floor(number / 10)}`;
    const name = number % 10 === 0 ? 'index' : `n${number}`;
    files[`${folder}/${name}.md`] = `Note ${number}${number < BACKLINKS ? ' of [[Hub]]' : ''}, see [[index]].\n`;
  }
  return files;
};

/** The real file system, with the notes counted that are read from it, by either side of the vault. */
const countedFiles = () => {
  const reads: string[] = [];
  const openFileSystem: OpenFileSystem = (root) =>
    wrapFiles(openNodeFileSystem(root), (real) => ({
      read: (path, range) => {
        // The note that was written to warm up is so young that it is looked at once more.
        if (path.endsWith('.md') && path !== 'first.md') reads.push(path);
        return real.read(path, range);
      },
    }));
  return { openFileSystem, reads };
};

interface Cost {
  /** Readings of a note's bytes. */
  readonly reads: number;
  readonly files: number;
  readonly parsed: number;
  /** Whether it was announced as a large write, and then as over. */
  readonly large: readonly boolean[];
}

/** What a piece of work costs in a vault of many notes that nothing else happens in. */
async function costOf(work: (vault: CountedVault) => Promise<void>): Promise<Cost> {
  let cost: Cost | undefined;
  const { openFileSystem, reads } = countedFiles();
  const large: boolean[] = [];
  await withVault(manyNotes(), (vault) =>
    withOpen(
      vault.root,
      async (open) => {
        // The first write makes roux's own folders; it is not the one that is counted.
        await open.writes.write(meta, () => ({ files: [{ kind: 'create', path: 'first.md', text: 'x' }] }));
        // Notes that were made a moment before the vault was opened are so young that they are looked at once more.
        await waitFor(async () => {
          reads.length = 0;
          await open.refresh('changed');
          return reads.length === 0;
        });
        const before = { ...open.counters };
        await work(open);
        cost = { reads: reads.length, files: new Set(reads).size, parsed: open.counters.notesParsed - before.notesParsed, large };
      },
      { isFollowing: false, openFileSystem, onHeavyWork: (work, isUnderWay) => void (work === 'large write' && large.push(isUnderWay)) },
    ),
  );
  if (cost === undefined) throw new Error('nothing was measured');
  return cost;
}

const rename = (open: CountedVault, from: string, title: string): Promise<unknown> =>
  open.writes.write(meta, (graph) =>
    planRename(
      {
        graph,
        readText: () => null,
        style: open.settings.linkStyle(),
        at: '2026-01-01T00:00:00.000Z',
        filenames: 'title',
        renameAlias: 'off',
      },
      from,
      { title },
    ),
  );

describe(`what writing costs in a vault of ${NOTES} notes`, () => {
  it('a small update reads and parses the one note that it changes', async () => {
    const cost = await costOf(async (open) => {
      const path = toNotePath('f3/n31.md');
      if (path === null) throw new Error('path');
      await open.writes.write(meta, () => ({ files: [{ kind: 'change', path, changes: [{ op: 'set', key: ['x'], value: 1 }] }] }));
    });
    expect(cost.files).toBe(1);
    expect(cost.parsed).toBe(1);
    expect(cost.large).toEqual([]);
    // For the plan, and against a save in between where its state cannot tell; what was written is known.
    expect(cost.reads).toBeLessThanOrEqual(3);
  });

  it('a new note reads and parses itself', async () => {
    const cost = await costOf(async (open) => {
      await open.writes.write(meta, () => ({ files: [{ kind: 'create', path: 'f3/new.md', text: 'new' }] }));
    });
    expect(cost).toMatchObject({ reads: 0, parsed: 1 });
  });

  it('a rename of a note that nobody links to reads and parses that note', async () => {
    const cost = await costOf(async (open) => {
      await rename(open, `f${OUTER}/n${OUTER}1.md`, 'alone');
      expect(open.graph.get(`f${OUTER}/alone.md`)).not.toBeNull();
    });
    expect(cost.parsed).toBe(1);
    expect(cost.files).toBeLessThanOrEqual(2);
  });

  it(`a rename with ${BACKLINKS} backlinks reads and parses the notes that change, and no other`, async () => {
    const cost = await costOf(async (open) => {
      await rename(open, 'Hub.md', 'Centre');
      expect(open.graph.backlinks('Centre.md')).toHaveLength(BACKLINKS);
      expect(open.graph.get(`f${OUTER}/n${OUTER}1.md`)).not.toBeNull();
    });
    expect(cost.parsed).toBe(BACKLINKS + 1);
    expect(cost.files).toBeLessThanOrEqual(BACKLINKS + 2);
    // For the plan; only what the file system has stamped a moment before is read again before it is replaced.
    expect(cost.reads).toBeLessThanOrEqual(2 * (BACKLINKS + 2));
    expect(cost.large).toEqual([true, false]);
  });

  it('planning a rename among many of the same name asks for the files of each name a few times, not for each link', async () => {
    await withVault(manyNotes(), (vault) =>
      withOpen(
        vault.root,
        (open) => {
          let asked = 0;
          const graph = new Proxy(open.graph, {
            get(target, key) {
              const value: unknown = Reflect.get(target, key, target);
              if (key === 'byKey') asked++;
              return typeof value === 'function' ? (value.bind(target) as unknown) : value;
            },
          });
          expect(graph.byKey('index')).toHaveLength(NOTES / 10);
          asked = 0;
          const context = {
            graph,
            readText: () => null,
            style: open.settings.linkStyle(),
            at: '',
            filenames: 'title',
            renameAlias: 'off',
          } as const;
          const plan = planRename(context, 'f7/index.md', { title: 'start' });
          expect(plan.files.length).toBeGreaterThan(1);
          expect(asked).toBeLessThanOrEqual(50);
        },
        { isFollowing: false },
      ),
    );
  });
});
