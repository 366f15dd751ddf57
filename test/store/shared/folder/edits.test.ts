import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import { openNodeFileSystem } from '../../../../src/store/folder/node-file-system.ts';
import { findRoot } from '../../../../src/store/folder/root.ts';
import { readFile } from '../../../../src/store/folder/read-stable.ts';
import { LocalChanges } from '../../../../src/store/shared/local/local-changes.ts';
import { createStatCache } from '../../../../src/store/shared/local/stat-cache.ts';
import type { SharedVault } from '../../../../src/store/shared/shared-vault.ts';
import { makeVault } from '../../../support/vault.ts';

const COUNT = 300;
const LONG_AGO = new Date(Date.now() - 3_600_000);

describe('what is edited in a working copy', () => {
  let folder: ReturnType<typeof makeVault>;
  let looks: { hints: number; lists: number; reads: number };
  let edits: LocalChanges;
  const texts = new Map(Array.from({ length: COUNT }, (_, index) => [`${index % 3 === 0 ? 'sub/' : ''}n${index}.md`, `Note ${index}\n`]));
  const base = new Map([...texts].map(([path, text]) => [path, hashOf(text)]));

  /** Everything that is edited, by path: whether it is there. */
  async function find(): Promise<Readonly<Record<string, boolean>>> {
    looks = { hints: 0, lists: 0, reads: 0 };
    const files = openNodeFileSystem(findRoot(folder.root));
    const read: Parameters<LocalChanges['find']>[0] = (path, how) => {
      looks.reads += 1;
      return readFile(files, path, how);
    };
    const found = await edits.find(read, async () => new Map());
    return Object.fromEntries(found.map(({ path, file }) => [path, file !== null]));
  }

  function open(): LocalChanges {
    const files = openNodeFileSystem(findRoot(folder.root));
    return new LocalChanges({
      now: () => files.now(),
      hint: (path) => ((looks.hints += 1), files.hint(path)),
      list: (path) => ((looks.lists += 1), files.list(path)),
    });
  }

  beforeEach(async () => {
    folder = makeVault(Object.fromEntries(texts));
    for (const path of texts.keys()) utimesSync(join(folder.root, path), LONG_AGO, LONG_AGO);
    looks = { hints: 0, lists: 0, reads: 0 };
    edits = open();
    edits.rebase(base);
    await find();
  });
  afterEach(() => folder.dispose());

  it('at first all is read, and then nothing', async () => {
    expect(looks.reads).toBe(COUNT);
    edits.markDirty(null);
    expect(await find()).toEqual({});
    expect(looks.reads).toBe(0);
  });

  it('one name is one look, whatever the size of its folder', async () => {
    writeFileSync(join(folder.root, 'n1.md'), 'edited\n');
    edits.markDirty('', 'n1.md');
    expect(await find()).toEqual({ 'n1.md': true });
    expect(looks).toEqual({ hints: 2, lists: 0, reads: 1 });
  });

  it('a folder of which something was heard is listed, and only what looks otherwise is read', async () => {
    writeFileSync(join(folder.root, 'sub/n0.md'), 'edited\n');
    rmSync(join(folder.root, 'sub/n3.md'));
    edits.markDirty('sub');
    expect(await find()).toEqual({ 'sub/n0.md': true, 'sub/n3.md': false });
    expect(looks).toMatchObject({ lists: 3, reads: 1 });
  });

  it('a folder that another one took the name of is looked through, and one that is gone with all that was in it', async () => {
    mkdirSync(join(folder.root, 'other'));
    writeFileSync(join(folder.root, 'other/n0.md'), 'of the other\n');
    renameSync(join(folder.root, 'sub'), join(folder.root, 'moved'));
    renameSync(join(folder.root, 'other'), join(folder.root, 'sub'));
    for (const name of ['other', 'sub', 'moved']) edits.markDirty('', name);
    const found = await find();
    expect(found['sub/n0.md']).toBe(true);
    expect(found['moved/n3.md']).toBe(true);
    expect(Object.keys(found)).toHaveLength(COUNT / 3 + 1);
    edits.settle([['moved/n3.md', hashOf('Note 3\n')]]);
    rmSync(join(folder.root, 'moved'), { recursive: true });
    edits.markDirty('', 'moved');
    expect((await find())['moved/n3.md']).toBe(false);
  });

  it('what is known is cached for the next start, which reads only what is new', async () => {
    const kept = new Map<string, Buffer>();
    const cache = {
      load: (name: string) => kept.get(name) ?? null,
      save: async (name: string, blocks: readonly Uint8Array[]) => void kept.set(name, Buffer.concat(blocks)),
      remove: (name: string) => void kept.delete(name),
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the vault only its id is asked, and that nothing came since.
    const shared = { id: 'v', feed: { commitsAfter: async () => [] } } as unknown as SharedVault;
    await createStatCache(cache).save(edits, shared, { seq: 7, batch: 'seven' });
    expect(await createStatCache(cache).load(shared, { seq: 6, batch: 'six' })).toBe(null);
    const known = await createStatCache(cache).load(shared, { seq: 7, batch: 'seven' });
    edits = open();
    edits.rebase(known?.base ?? new Map(), known?.seen);
    writeFileSync(join(folder.root, 'n1.md'), 'edited\n');
    expect(await find()).toEqual({ 'n1.md': true });
    expect(looks.reads).toBe(1);
  });
});
