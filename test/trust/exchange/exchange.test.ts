import fs from 'node:fs';
import { existsSync, readdirSync, renameSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRoot } from '../../../src/store/folder/held-folders.ts';
import type { FileSystem } from '../../../src/store/folder/file-system.ts';
import type { Root } from '../../../src/store/folder/held-folders.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { sample } from '../../support/effort.ts';
import { withVault } from '../../support/vault.ts';
import { VICTIMS, calls, withOutside } from './calls.ts';
import { race } from './exchange-race.ts';

// The long run of it: `npx tsx test/trust/exchange/exchange-race.ts 10000`.
it('F47 nothing is written, moved or read outside while folders are exchanged with links', async () => {
  const { done, exchanges, breaches } = await race({ count: 80, seed: 20_261_122 });
  expect(breaches).toEqual([]);
  expect(done).toBeGreaterThan(0);
  expect(exchanges).toBeGreaterThan(0);
});

it.runIf(process.platform === 'linux')('F47 a folder that becomes a link the moment before it is opened is not followed', () =>
  withVault({ 'box/n1.md': 'Inside\n' }, (inside) =>
    withVault({ 'n1.md': 'Outside\n' }, (outside) => {
      const { openSync } = fs;
      let isExchanged = false;
      fs.openSync = (path, ...rest) => {
        if (!isExchanged && String(path).endsWith('/box')) {
          isExchanged = true;
          exchange(inside.path('box'), outside.root);
        }
        return openSync(path, ...rest);
      };
      syncBuiltinESMExports();
      try {
        expect(() => openNodeFileSystem(inside.root).create('box/new.md', 0o644)).toThrow(
          expect.objectContaining({ code: expect.stringMatching(/^E/) }),
        );
      } finally {
        fs.openSync = openSync;
        syncBuiltinESMExports();
      }
      expect(isExchanged).toBe(true);
      expect(readdirSync(outside.root)).toEqual(['n1.md']);
    }),
  ),
);

/** Where folders cannot be held: what was exchanged when a call looks again is noticed; what was exchanged back before cannot be. */
describe('F47 where the system has no names for descriptors, an exchange within a call is noticed and taken back', () => {
  it.each<[string, (files: FileSystem) => unknown]>([
    ['create', (files) => files.create('box/new.md', 0o644)],
    ['append', (files) => files.append('box/n1.md')],
    ['link from', (files) => files.link('box/n1.md', 'calm/other.md')],
    ['link to', (files) => files.link('calm/n1.md', 'box/other.md')],
    ['rename from', (files) => files.rename('box/n1.md', 'calm/other.md')],
    ['rename to', (files) => files.rename('calm/n1.md', 'box/other.md')],
    ['cut', (files) => files.cut('box/n1.md', 0)],
    ['touch', (files) => files.touch('box/n1.md')],
    ['make a folder', (files) => files.makeFolder('box/folder')],
  ])('%s', (_name, act) =>
    withVault({ 'box/n1.md': 'Inside\n', 'calm/n1.md': 'Calm\n' }, (inside) =>
      withVault({ 'n1.md': 'Outside\n' }, (outside) => {
        utimesSync(outside.path('n1.md'), 1, 1);
        const home = openRoot(inside.root, 'names');
        const attacked = exchangedWithin(home, (folder) => (folder === 'box' ? exchange(inside.path('box'), outside.root) : null));
        expect(() => act(openNodeFileSystem(inside.root, attacked))).toThrow(expect.objectContaining({ code: 'EXCHANGED' }));
        expect(readdirSync(outside.root)).toEqual(['n1.md']);
        expect(outside.read('n1.md')).toBe('Outside\n');
        expect(statSync(outside.path('n1.md'))).toMatchObject({ mtimeMs: 1000, nlink: 1 });
        expect(readdirSync(inside.path('calm'))).toEqual(['n1.md']);
        expect(readdirSync(inside.path('box'))).toEqual(['n1.md']);
      }),
    ),
  );

  let turn = 0;
  for (const what of Object.keys(calls) as (keyof typeof calls)[])
    for (const until of ['access', 'call'] as const)
      it(`${what}, exchanged until the end of the ${until}`, async () => {
        const { accesses } = await exchangedIn(what, { access: -1, until });
        expect(accesses).toBeGreaterThan(1);
        for (const access of sample([...Array(accesses).keys()], 60, turn++)) {
          const { breaches } = await exchangedIn(what, { access, until });
          expect({ access, breaches }).toEqual({ access, breaches: [] });
        }
      });
});

/** Puts a link in a folder's place; returns what takes it away again, once. */
function exchange(folder: string, target: string): () => void {
  const aside = join(dirname(folder), '.aside');
  renameSync(folder, aside);
  symlinkSync(target, folder);
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    renameSync(folder, join(dirname(folder), '.link'));
    renameSync(aside, folder);
  };
}

/** A root with an attacker who acts between the look at a folder and its use; what `act` returns is called after the access. */
function exchangedWithin(home: Root, act: (folder: string) => (() => void) | null): Root {
  return {
    get state() {
      return home.state;
    },
    adopt: () => home.adopt(),
    hold() {
      const folders = home.hold();
      return {
        forget: (folder) => folders.forget(folder),
        findExchanged: (except) => folders.findExchanged(except),
        release: () => folders.release(),
        at(folder, use, undo) {
          let end: (() => void) | null = null;
          try {
            return folders.at(folder, (name) => ((end = act(folder)), use(name)), undo);
          } finally {
            (end as (() => void) | null)?.();
          }
        },
        whileOpen: (folder, use) =>
          folders.whileOpen(folder, async (descriptor) => {
            const end = act(folder);
            try {
              await use(descriptor);
            } finally {
              end?.();
            }
          }),
      };
    },
  };
}

const isVictim = (folder: string): boolean => VICTIMS.some((victim) => folder === victim || folder.startsWith(`${victim}/`));

/** Calls once; in the access of this number to a folder of notes, or of roux below it, that folder is exchanged. */
async function exchangedIn(
  what: keyof typeof calls,
  when: { access: number; until: 'access' | 'call' },
): Promise<{ accesses: number; breaches: readonly string[] }> {
  let accesses = 0;
  let isArmed = false;
  let giveBack = (): void => undefined;
  let outside = '';

  const attack = (root: string, home: Root): Root =>
    exchangedWithin(home, (folder) => {
      if (!isArmed || !isVictim(folder) || !existsSync(join(root, folder)) || accesses++ !== when.access) return null;
      giveBack = exchange(join(root, folder), outside);
      return when.until === 'access' ? giveBack : () => undefined;
    });
  const openFileSystem = (root: string) => openNodeFileSystem(root, attack(root, openRoot(root, 'names')));
  const breaches = await withOutside({ openFileSystem, isPrevented: false }, async (run) => {
    outside = run.outside;
    isArmed = true;
    await run.call(what, { id: 'deep/inner/n3.md', folder: 'deep/inner', index: 1 });
    isArmed = false;
    giveBack();
    // Whatever is left over is cleared up with the next write.
    await run.call('update', { id: 'calm/n1.md', folder: 'calm', index: 2 });
  });
  return { accesses, breaches };
}
