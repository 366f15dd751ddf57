import { describe, expect, it } from 'vitest';
import type { FolderWatch, WatchListener } from '../../../../src/store/folder/watch.ts';
import { openInventory } from '../../../../src/vault/sync/inventory.ts';
import type { Sync } from '../../../../src/vault/sync/sync.ts';
import { Watching } from '../../../../src/vault/sync/watching.ts';
import { createWarnings } from '../../../../src/vault/warnings.ts';
import type { Warnings } from '../../../../src/vault/warnings.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';
import { memoryFolder } from './memory-folder.ts';

const PACE = { debounce: 75, patience: 500, idle: 60_000, rare: 1_800_000, polling: 2_000, repair: 5_000 };
const failure = (code: string): Error => Object.assign(new Error(`${code}: watch`), { code });

interface Scene {
  readonly watching: Watching;
  readonly tell: WatchListener;
  readonly warnings: Warnings;
  readonly failures: string[];
  readonly watched: Set<string>;
  readonly unreadable: Map<string, string>;
  readonly inventory: Sync['inventory'];
  /** The folders of whose devices the watch was asked whether it hears all. */
  readonly heard: readonly (readonly string[])[];
  /** What the sync was asked, as `flush` or `reconcile` with the milliseconds since the start, and which marks it was given. */
  readonly done: string[];
  /** Where changes may have caused no event: what the watching tells others. */
  readonly unheard: readonly (string | null)[];
  readonly marks: string[];
  /** Told by tests: git is at work, the sync fails, marks are left, the watch hears all, a comparison takes so many milliseconds. */
  readonly state: {
    isGit: boolean;
    error: Error | null;
    left: boolean;
    hearsAll: boolean | undefined;
    cost: number;
    asleep: number;
    rootLooks: number;
  };
  readonly pause: (milliseconds: number) => Promise<void>;
  /** What was asked since the last question. */
  readonly take: () => readonly string[];
}

/** Runs with a watching of a vault in simulated time, whose sync only writes down what it is asked. */
const withWatching = (run: (scene: Scene) => Promise<void>, { isStarted = true, hasGit = false } = {}): Promise<void> =>
  inSimulatedTime(async (time) => {
    const pause = (milliseconds: number): Promise<void> => time.pause(milliseconds);
    const begun = Date.now();
    const files = memoryFolder();
    const state: Scene['state'] = {
      isGit: false,
      error: null,
      left: false,
      hearsAll: true,
      cost: 0,
      asleep: 0,
      rootLooks: 0,
    };
    files.now = () => Date.now() + state.asleep;
    if (hasGit) files.set('.git', { kind: 'folder' });
    const inventory = openInventory();
    for (const folder of ['', 'sub']) inventory.folder(folder).identity = `1:${folder.length}:1`;
    const [done, marks, failures, watched] = [[] as string[], [] as string[], [] as string[], new Set<string>()];
    const unreadable = new Map<string, string>();
    const unheard: (string | null)[] = [];
    const work = (what: string) => async (): Promise<void> => {
      done.push(`${what} ${Date.now() - begun}`);
      if (state.cost > 0) await pause(state.cost);
      if (state.error !== null) throw state.error;
    };
    const sync = {
      inventory,
      unreadable,
      get hasMarks() {
        return state.left;
      },
      mark: (folder: string, name: string | null) => void marks.push(`${folder}/${name}`),
      flush: work('flush'),
      reconcile: work('reconcile'),
    } as unknown as Sync;
    const warnings = createWarnings();
    let tell: WatchListener | null = null;
    const watch: FolderWatch = {
      add: (folders) => folders.forEach((folder) => watched.add(folder)),
      drop: (folder) => void watched.delete(folder),
      reportsAll: (folders) => {
        heard.push(folders);
        return state.hearsAll ?? true;
      },
      close: async () => void done.push('close'),
    };
    const heard: (readonly string[])[] = [];
    const watching = new Watching({
      files,
      root: '/vault',
      git: { isActive: () => state.isGit },
      sync,
      rootCheck: {
        look() {
          state.rootLooks++;
          return 'there';
        },
      },
      warnings,
      openWatch: (listener) => {
        tell = listener;
        if (state.hearsAll === undefined) delete watch.reportsAll;
        return watch;
      },
      pace: PACE,
      onUnheard: (folder) => unheard.push(folder),
      onFailure: (message) => failures.push(message),
    });
    const take = (): readonly string[] => done.splice(0);
    const scene = {
      watching,
      warnings,
      failures,
      watched,
      unreadable,
      inventory,
      done,
      heard,
      marks,
      unheard,
      state,
      async pause(milliseconds: number) {
        await pause(milliseconds);
        // What else is due in the same millisecond comes first.
        for (let turn = 0; turn < 3; turn++) await pause(0);
      },
      take,
      get tell() {
        return tell!;
      },
    };
    if (isStarted) {
      await watching.start();
      take();
    }
    await run(scene);
    await watching.stop();
  });

describe('a watch', () => {
  it('is on every folder and on git’s, and everything is compared once it is', () =>
    withWatching(
      async ({ watching, watched, take }) => {
        expect(watching.hearsAll).toBe(false);
        await watching.start();
        expect(watching.hearsAll).toBe(true);
        expect([...watched]).toEqual(['/vault', '/vault/sub', '/vault/.git']);
        expect(take()).toEqual(['reconcile 0']);
      },
      { isStarted: false, hasGit: true },
    ));

  it('that is started late does not take the time before for a sleep', () =>
    withWatching(
      async ({ watching, pause, take }) => {
        await pause(10_000);
        await watching.start();
        take();
        await pause(5_000);
        expect(take()).toEqual([]);
      },
      { isStarted: false },
    ));

  it('is not on git’s folder where there is none', () =>
    withWatching(async ({ watched }) => {
      expect([...watched]).toEqual(['/vault', '/vault/sub']);
    }));

  it('follows folders that come and go, and looks into the new ones again soon and later', () =>
    withWatching(async ({ watching, watched, inventory, marks, unheard, pause, take }) => {
      expect(unheard).toEqual([null]);
      inventory.folder('new');
      watching.follow({ gone: new Set(['sub']), fresh: new Set(['new', 'gone again']) });
      expect([...watched]).toEqual(['/vault', '/vault/new', '/vault/gone again']);
      expect(marks).toEqual([]);
      await pause(100 + 75);
      expect(marks).toEqual(['new/null']);
      expect(take()).toEqual(['flush 175']);
      await pause(2_600);
      expect(marks).toEqual(['new/null', 'new/null', 'new/null']);
      expect(unheard).toEqual([null, 'new', 'new', 'new']);
      expect(take()).toEqual(['flush 775', 'flush 2575']);
    }));

  it('follows nothing before it is started or after its end', () =>
    withWatching(
      async ({ watching, watched, marks, pause }) => {
        watching.follow({ gone: new Set(), fresh: new Set(['sub']) });
        await watching.start();
        await pause(5_000);
        expect(marks).toEqual([]);
        await watching.stop();
        watching.follow({ gone: new Set(['sub']), fresh: new Set(['sub/x']) });
        expect([...watched]).toEqual(['/vault', '/vault/sub']);
      },
      { isStarted: false },
    ));
});

describe('an event', () => {
  it('marks what it names, and is looked at a debounce after the first of several', () =>
    withWatching(async ({ tell, marks, pause, take }) => {
      tell.onEvent('/vault/sub', 'a.md');
      await pause(50);
      tell.onEvent('/vault', null);
      tell.onEvent('\\vault\\sub', 'b.md');
      await pause(24);
      expect(take()).toEqual([]);
      await pause(1);
      expect(take()).toEqual(['flush 75']);
      expect(marks).toEqual(['sub/a.md', '/null', 'sub/b.md']);
      await pause(1_000);
      expect(take()).toEqual([]);
    }));

  it('of a hidden name means nothing', () =>
    withWatching(async ({ tell, marks, pause, take }) => {
      tell.onEvent('/vault', '.hidden');
      await pause(1_000);
      expect([marks, take()]).toEqual([[], []]);
    }));

  it('in git’s folder: another HEAD is a checkout, a lock that comes or goes is a reason to look, all else means nothing', () =>
    withWatching(async ({ tell, marks, pause, take }) => {
      tell.onEvent('/vault/.git', 'index');
      await pause(1_000);
      expect(take()).toEqual([]);
      tell.onEvent('/vault/.git', 'index.lock');
      await pause(1_000);
      expect(take()).toEqual(['flush 1075']);
      tell.onEvent('/vault/.git', 'HEAD');
      await pause(1_000);
      expect(take()).toEqual(['reconcile 2075']);
      tell.onEvent('/vault/.git', null);
      await pause(1_000);
      expect(take()).toEqual(['reconcile 3075']);
      expect(marks).toEqual([]);
    }));

  it('waits until git has done its work', () =>
    withWatching(async ({ tell, state, pause, take }) => {
      state.isGit = true;
      tell.onEvent('/vault', 'a.md');
      await pause(1_000);
      expect(take()).toEqual([]);
      // Sooner than the next look that is due already comes none.
      tell.onEvent('/vault', 'a.md');
      state.isGit = false;
      await pause(75);
      expect(take()).toEqual(['flush 1050']);
      await pause(1_000);
      expect(take()).toEqual([]);
    }));

  it('one of a stream is looked at when that ends, or when it has gone on for long', () =>
    withWatching(async ({ tell, pause, take }) => {
      for (let times = 0; times < 3; times++) {
        for (let count = 0; count < 600; count++) tell.onEvent('/vault', 'a.md');
        await pause(50);
      }
      // 1,200 of them before the first look, which was put off; 600 before the next one.
      expect(take()).toEqual(['flush 150']);
      for (let count = 0; count < 400; count++) tell.onEvent('/vault', 'a.md');
      await pause(75);
      expect(take().length).toBe(1);
    }));

  it('a thousand at once are no stream', () =>
    withWatching(async ({ tell, pause, take }) => {
      for (let times = 0; times < 2; times++) {
        for (let count = 0; count < 1_000; count++) tell.onEvent('/vault', 'a.md');
        await pause(75);
      }
      expect(take()[0]).toBe('flush 75');
      expect(take()).toEqual([]);
    }));

  it('one of a stream without an end is looked at when patience ends', () =>
    withWatching(async ({ tell, pause, take }) => {
      for (let times = 0; times < 12; times++) {
        for (let count = 0; count < 1_001; count++) tell.onEvent('/vault', 'a.md');
        await pause(75);
      }
      expect(take()[0]).toBe('reconcile 450');
    }));

  it('one of a burst, in which some may be lost, is followed by a comparison of everything, once', () =>
    withWatching(async ({ tell, pause, take }) => {
      for (let count = 0; count < 2_000; count++) tell.onEvent('/elsewhere', '.hidden');
      await pause(1_000);
      expect(take()).toEqual([]);
      tell.onEvent('/elsewhere', '.hidden');
      await pause(75);
      expect(take()).toEqual(['reconcile 1075']);
      for (let count = 0; count < 2_000; count++) tell.onEvent('/elsewhere', '.hidden');
      await pause(1_000);
      expect(take()).toEqual([]);
      await pause(60_000);
      // Slowly, over more than a minute, they are no burst.
      for (let count = 0; count < 2_000; count++) tell.onEvent('/elsewhere', '.hidden');
      await pause(60_001);
      tell.onEvent('/elsewhere', '.hidden');
      await pause(100);
      expect(take()).toEqual([]);
    }));

  it('of a burst before a comparison of everything does not count after it', () =>
    withWatching(async ({ tell, watching, pause, take }) => {
      for (let count = 0; count < 1_500; count++) tell.onEvent('/elsewhere', '.hidden');
      watching.compareAll();
      await pause(100);
      expect(take()).toEqual(['reconcile 75']);
      for (let count = 0; count < 1_500; count++) tell.onEvent('/elsewhere', '.hidden');
      await pause(1_000);
      expect(take()).toEqual([]);
    }));

  it('of a folder that is lost marks it and the one above it, and its identity is not believed any more', () =>
    withWatching(async ({ tell, inventory, marks, pause, take }) => {
      tell.onLost('/vault/sub');
      expect(inventory.folders.get('sub')?.identity).toBe('');
      expect(marks).toEqual(['/null', 'sub/null']);
      tell.onLost('/vault/never');
      expect(inventory.folders.has('never')).toBe(false);
      await pause(75);
      expect(take()).toEqual(['flush 75']);
    }));
});

describe('a look', () => {
  it('comes when it is asked for, and not later for one that is asked for later', () =>
    withWatching(async ({ watching, pause, take }) => {
      watching.soon(100);
      watching.soon(60);
      watching.soon(500);
      await pause(1_000);
      expect(take()).toEqual(['flush 60']);
      watching.soon();
      await pause(1_000);
      expect(take()).toEqual(['flush 1075']);
    }));

  it('that was put off comes sooner where that is asked for', () =>
    withWatching(async ({ tell, watching, state, pause, take }) => {
      state.isGit = true;
      tell.onEvent('/vault', 'a.md');
      await pause(80);
      state.isGit = false;
      watching.soon(10);
      await pause(100);
      expect(take()).toEqual(['flush 90']);
    }));

  it('after a comparison of everything looks at what was marked', () =>
    withWatching(async ({ watching, pause, take }) => {
      watching.compareAll();
      await pause(100);
      watching.soon();
      await pause(100);
      expect(take()).toEqual(['reconcile 75', 'flush 175']);
    }));

  it('that leaves marks is made again', () =>
    withWatching(async ({ watching, state, pause, take }) => {
      state.left = true;
      watching.soon();
      await pause(75);
      expect(take()).toEqual(['flush 75']);
      await pause(499);
      expect(take()).toEqual([]);
      state.left = false;
      await pause(1_000);
      expect(take()).toEqual(['flush 575']);
    }));

  it('that fails is followed by a comparison of everything, and it is said until one succeeds', () =>
    withWatching(async ({ watching, state, warnings, failures, pause, take }) => {
      state.error = new Error('EIO');
      watching.soon();
      await pause(75);
      expect(warnings.list()).toEqual(['Following the files failed (EIO); everything is compared again in a moment.']);
      expect(failures).toEqual(['EIO']);
      state.error = null;
      await pause(2_000);
      expect(take()).toEqual(['flush 75', 'reconcile 2075']);
      expect(warnings.list()).toEqual([]);
    }));
});

describe('everything is compared', () => {
  it('from time to time, rarely where events tell of everything', () =>
    withWatching(async ({ heard, pause, take }) => {
      await pause(60_000);
      // One folder of each device.
      expect(heard).toEqual([['/vault/sub']]);
      await pause(1_739_999);
      expect(take()).toEqual([]);
      await pause(1);
      expect(take()).toEqual(['reconcile 1800000']);
      await pause(1_800_000);
      expect(take()).toEqual(['reconcile 3600000']);
    }));

  it.each<[string, (scene: Scene) => void]>([
    ['the watch misses some', ({ state }) => void (state.hearsAll = false)],
    ['a note cannot be read', ({ unreadable }) => void unreadable.set('a.md', 'EACCES')],
    ['a note has a second name', ({ inventory }) => void inventory.hardLinked.add('a.md')],
    ['a folder cannot be listed', ({ inventory }) => void (inventory.folder('sub').unreadable = 'EACCES')],
  ])('every minute where %s', (_, change) =>
    withWatching(async (scene) => {
      change(scene);
      await scene.pause(120_000);
      expect(scene.take()).toEqual(['reconcile 60000', 'reconcile 120000']);
    }),
  );

  it('every minute where the watch cannot say', () =>
    withWatching(
      async ({ watching, state, pause, take }) => {
        state.hearsAll = undefined;
        await watching.start();
        take();
        await pause(60_000);
        expect(take()).toEqual(['reconcile 60000']);
      },
      { isStarted: false },
    ));

  it('the more rarely the longer it takes', () =>
    withWatching(async ({ watching, state, pause, take }) => {
      state.hearsAll = false;
      state.cost = 4_000;
      watching.compareAll();
      await pause(75 + 4_000);
      expect(take()).toEqual(['reconcile 75']);
      await pause(80_000);
      expect(take()).toEqual(['reconcile 84075']);
    }));

  it.each(['EMFILE', 'ENFILE', 'ENOSPC'])(
    'all the time where not every folder can be watched (%s), which is said with the limit to raise',
    (code) =>
      withWatching(async ({ tell, warnings, pause, take }) => {
        tell.onError(failure(code));
        const limit = code === 'ENOSPC' ? 'fs.inotify.max_user_watches' : 'the limit of open files (ulimit -n)';
        const warning = `Not every folder can be watched (${code}), so changes are found by comparing every 2 s; raise ${limit}.`;
        expect(warnings.list()).toEqual([warning]);
        await pause(75);
        expect(take()).toEqual(['reconcile 75']);
        tell.onError(failure(code));
        await pause(1_000);
        expect(take()).toEqual([]);
        await pause(1_000);
        expect(take()).toEqual(['reconcile 2075']);
      }),
  );

  it('after any other error of the watch', () =>
    withWatching(async ({ tell, warnings, pause, take }) => {
      tell.onError(failure('EIO'));
      await pause(75);
      expect(take()).toEqual(['reconcile 75']);
      expect(warnings.list()).toEqual([]);
    }));

  it('after a sleep of the machine, and not after a heartbeat in time', () =>
    withWatching(async ({ state, pause, take }) => {
      await pause(10_000);
      expect(take()).toEqual([]);
      expect(state.rootLooks).toBe(5);
      state.asleep += 1_000;
      await pause(2_100);
      expect(take()).toEqual([]);
      state.asleep += 1_001;
      await pause(1_975);
      expect(take()).toEqual(['reconcile 14075']);
      await pause(10_000);
      expect(take()).toEqual([]);
    }));
});

describe('the end', () => {
  it('waits for what has begun, and begins nothing any more', () =>
    withWatching(async ({ watching, tell, state, pause, take }) => {
      state.cost = 1_000;
      watching.soon();
      await pause(75);
      let isStopped = false;
      const stopped = watching.stop().then(() => (isStopped = true));
      await pause(500);
      expect(isStopped).toBe(false);
      await pause(600);
      expect(isStopped).toBe(true);
      await stopped;
      expect(take()).toEqual(['flush 75', 'close']);
      tell.onEvent('/vault', 'a.md');
      watching.soon();
      watching.compareAll();
      const looks = state.rootLooks;
      await pause(3_600_000);
      expect(take()).toEqual([]);
      expect(state.rootLooks).toBe(looks);
    }));

  it('in the middle of a comparison of everything: none follows', () =>
    withWatching(async ({ watching, state, pause, take }) => {
      state.cost = 1_000;
      watching.compareAll();
      await pause(75);
      await watching.stop();
      take();
      await pause(7_200_000);
      expect(take()).toEqual([]);
    }));

  it('before it has begun', () =>
    withWatching(
      async ({ watching, watched, state, pause, take }) => {
        await watching.stop();
        await watching.start();
        await pause(10_000);
        expect(take()).toEqual([]);
        expect([watched.size, state.rootLooks]).toEqual([0, 0]);
      },
      { isStarted: false },
    ));
});
