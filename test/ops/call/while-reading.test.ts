import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config.ts';
import { allToolsets, operations } from '../../../src/ops/all.ts';
import type { OperationContext } from '../../../src/ops/operation.ts';
import type { EarlyAnswer } from '../../../src/ops/operation.ts';
import { waitUntilAnswerable } from '../../../src/ops/call/while-reading.ts';
import { VaultSession } from '../../../src/ops/session.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import type { OpenFileSystem } from '../../../src/store/folder/file-system.ts';
import { openVault } from '../../../src/vault/open-vault.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

/** A vault of so many notes whose reading the test holds, with a path that may be read out of turn. */
function holdReading({
  read,
  total,
  answersEarly = true,
  findsUnread = true,
  isBefore = false,
}: {
  read: number;
  total: number | null;
  answersEarly?: boolean;
  findsUnread?: boolean;
  isBefore?: boolean;
}) {
  let resolve = (): void => undefined;
  const ready = new Promise<void>((end) => {
    resolve = end;
  });
  const warnings: string[] = [];
  const told: string[] = [];
  const refreshed: string[] = [];
  let isReading = true;
  const vault = {
    health: { ready, readingProgress: () => (isReading ? { read, total, isBefore } : null) },
    search: { findsUnread: () => findsUnread },
    notes: { readAhead: (path: string) => path === 'a/Soil.md' },
    refresh: (depth: string) => (refreshed.push(depth), ready),
  };
  const context = {
    vault,
    signal: new AbortController().signal,
    warn: (message: string) => void warnings.push(message),
    progress: (done: number, of: number) => void told.push(`${done} of ${of}`),
    takeWarnings: () => ['Broken link: [[b]]'],
  } as unknown as OperationContext;
  return {
    warnings,
    told,
    refreshed,
    ask: (early: EarlyAnswer | null) => waitUntilAnswerable(context, early, answersEarly),
    finish() {
      isReading = false;
      resolve();
    },
  };
}

/** Whether a promise is still pending after several looks at how far reading is. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setTimeout(resolve, 700, 'later'));
  return (await Promise.race([promise, later])) === 'later';
}

describe('H-16 what is asked while a large vault is read', () => {
  it('H-16 a list is answered from what is read, and says how far that is', async () => {
    const held = holdReading({ read: 12_000, total: 30_000 });
    const { context, isEarly } = await held.ask('part');
    expect(held.warnings).toEqual([expect.stringContaining('12000 of 30000 notes')]);
    expect(isEarly).toBe(true);
    // Nothing in the answer waits for the rest, and no link to what is not read is called broken.
    await context.vault.refresh('changed');
    expect(context.takeWarnings({} as never)).toEqual([]);
  });

  it('H-16 what any unread note may change is refused, and may be asked again', async () => {
    const held = holdReading({ read: 12_000, total: 30_000 });
    await expect(held.ask('refuse')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      details: { read: 12_000, total: 30_000 },
      message: expect.stringContaining('12000 of 30000'),
    });
  });

  it('H-16 a note that is named by its path is read out of turn; by any other name it is waited for', async () => {
    const held = holdReading({ read: 12_000, total: 30_000 });
    expect((await held.ask({ notes: ['a/Soil.md'] })).isEarly).toBe(true);
    const named = held.ask({ notes: ['Soil'] });
    expect(await isPending(named)).toBe(true);
    held.finish();
    expect((await named).isEarly).toBe(false);
  });

  it('H-16 a search is answered at once, from all notes, and says that not all is known', async () => {
    const held = holdReading({ read: 0, total: 30_000 });
    const { context, isEarly } = await held.ask('search');
    expect(isEarly).toBe(true);
    expect(held.warnings).toEqual([expect.stringMatching(/0 of 30000 notes so far; all were searched/)]);
    expect(context.takeWarnings({} as never)).toEqual([]);
  });

  it.each([
    ['a small vault', { read: 0, total: 2_000 }, 'part'],
    ['the last notes of a large one', { read: 28_000, total: 30_000 }, 'refuse'],
    ['folders that are still listed, or a start from what was kept', { read: 0, total: null }, 'part'],
    ['whoever does not ask to be answered early', { read: 0, total: 30_000, answersEarly: false }, 'part'],
    ['a search where other states of the notes are known', { read: 0, total: 30_000, findsUnread: false }, 'search'],
    ['a search in a small vault', { read: 0, total: 2_000 }, 'search'],
    ['a call that needs all notes', { read: 0, total: 30_000 }, null],
  ] as const)('H-16 is waited for: %s', async (_, state, early) => {
    const held = holdReading(state);
    const asked = held.ask(early);
    expect(await isPending(asked)).toBe(true);
    held.finish();
    expect((await asked).isEarly).toBe(false);
    expect(held.warnings).toEqual([]);
  });
});

/** Longer than the first scan goes on without yielding. */
const SLOW_MS = 12;

/**
 * Opens a vault that is followed, with a call after which its notes are told, and sees when its folder is listed. `isOld`: its files were not
 * written just now.
 */
async function whileOpening(
  root: string,
  run: (paths: () => Promise<readonly string[]>, onList: (call: () => void) => void) => Promise<void>,
  isOld = false,
): Promise<void> {
  let listed = (): void => undefined;
  const openFileSystem: OpenFileSystem = (folder) =>
    wrapFiles(openNodeFileSystem(folder), (files) => ({
      now: () => files.now() + (isOld ? 60_000 : 0),
      list(path) {
        const entries = files.list(path);
        if (path === '') listed();
        else for (const end = performance.now() + SLOW_MS; performance.now() < end;);
        return entries;
      },
    }));
  const vault = openVault({ root, config: configSchema.parse({}), ports: testPorts(), openFileSystem });
  const session = new VaultSession(
    { openVault: () => Promise.resolve(vault), config: vault.settings.config, toolsets: async () => allToolsets },
    { id: 'test', agent: () => 'ada' },
  );
  const paths = async (): Promise<readonly string[]> => {
    await session.run(operations.get_hubs, {});
    return Array.from(vault.graph.entries(), ({ path }) => path);
  };
  try {
    await run(paths, (call) => (listed = call));
  } finally {
    await vault.close();
  }
}

describe('a call while a vault is opened', () => {
  it.each([
    [true, ['marked', 'changed', 'strict']],
    [false, ['changed', 'changed', 'strict']],
  ])(
    'has the folders compared again for it, but the first time if it came before they were looked at: before, %s',
    async (isBefore, depths) => {
      const held = holdReading({ read: 0, total: null, isBefore });
      const asked = held.ask(null);
      held.finish();
      const { context } = await asked;
      for (const depth of ['changed', 'changed', 'strict'] as const) await context.vault.refresh(depth);
      expect(held.refreshed).toEqual(depths);
    },
  );

  it('is answered after one look at the folders where it came before that', () =>
    withVault({ 'a.md': '', 'b.md': '' }, (files) =>
      whileOpening(
        files.root,
        async (paths, onList) => {
          let looks = 0;
          onList(() => (looks += 1));
          expect(await paths()).toEqual(['a.md', 'b.md']);
          expect(looks).toBe(1);
          // Nothing is watched yet.
          files.write('c.md', '');
          expect(await paths()).toEqual(['a.md', 'b.md', 'c.md']);
        },
        true,
      ),
    ));

  it.each([
    ['a note', 'b.md', 'c.md', ['a.md', 'c.md', 'z/d.md']],
    ['a folder', 'z', 'y', ['a.md', 'b.md', 'y/d.md']],
    ['a note to a folder that was listed', 'z/d.md', 'd.md', ['a.md', 'b.md', 'd.md']],
  ])('knows %s that was moved after the first look and before its turn', (_, from, to, then) =>
    withVault({ 'a.md': '', 'b.md': '', 'z/d.md': '' }, (files) =>
      whileOpening(files.root, async (paths, onList) => {
        onList(() => {
          onList(() => undefined);
          renameSync(files.path(from), files.path(to));
        });
        expect((await paths()).toSorted()).toEqual(then);
      }),
    ),
  );

  it('knows what was saved before it came, behind the first look', () =>
    withVault({ 'a.md': '', 'b/1/2/3/4/n.md': '' }, (files) =>
      whileOpening(files.root, async (paths, onList) => {
        const asked = new Promise<readonly string[]>((resolve) =>
          onList(() => {
            onList(() => undefined);
            files.write('c.md', '');
            resolve(paths());
          }),
        );
        expect(await asked).toEqual(['a.md', 'b/1/2/3/4/n.md', 'c.md']);
      }),
    ));
});
