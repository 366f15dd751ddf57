import { describe, expect, it } from 'vitest';
import type { FolderEntry, RootFileSystem } from '../../../../src/store/folder/file-system.ts';
import { openRefresh } from '../../../../src/vault/sync/refresh.ts';
import { openRootCheck } from '../../../../src/vault/sync/root-check.ts';
import { waitForKernelEvents } from '../../../../src/vault/sync/refresh.ts';
import { memoryFolder } from './memory-folder.ts';

const stale = (): Error => Object.assign(new Error('ESTALE'), { code: 'ESTALE' });

/** A check of a folder that tests take away and put others in place of. */
function scene() {
  const memory = memoryFolder({ 'a.md': '' });
  /** What stands under the name of the folder; null while the one that was opened does. */
  let other: readonly string[] | null = null;
  const told: string[] = [];
  const adopted: (readonly string[])[] = [];
  const files = {
    ...memory,
    adopt(isIt: (names: readonly FolderEntry[]) => boolean) {
      if (other === null) return false;
      const names = other;
      if (!isIt(names.map((name) => ({ name, kind: 'file' as const })))) return false;
      adopted.push(names);
      other = null;
      memory.failing = null;
      return true;
    },
  } as unknown as RootFileSystem;
  const check = openRootCheck(files, { onGone: () => told.push('gone'), onBack: () => told.push('back') });
  return {
    memory,
    check,
    told,
    adopted,
    replace: (names: readonly string[]): void => {
      other = names;
      memory.set('', { kind: 'folder', ino: memory.nodes.get('')!.ino + 1n });
      memory.failing = (call) => (call === 'stat ' ? stale() : null);
    },
  };
}

describe('the folder of a vault', () => {
  it('is there: after the first look its bare name is enough', () => {
    const { memory, check, told } = scene();
    expect([check.look(), check.look(), check.look()]).toEqual(['there', 'there', 'there']);
    expect(memory.calls).toEqual(['hint ', 'stat ', 'hint ', 'hint ', 'hint ']);
    expect(told).toEqual([]);
  });

  it('is another by its device or inode: it is looked at closely', () => {
    for (const change of [{ dev: 2n }, { ino: 9n }]) {
      const { memory, check } = scene();
      check.look();
      memory.set('', { kind: 'folder', ...change });
      memory.calls.length = 0;
      expect(check.look()).toBe('there');
      expect(memory.calls).toEqual(['hint ', 'stat ', 'hint ']);
    }
  });

  it('is gone while an empty or hidden one stands in its place, which is told once, and back when it holds files again', () => {
    const { check, told, replace, memory } = scene();
    check.look();
    replace([]);
    expect(check.look()).toBe('gone');
    replace(['.Trash', 'node_modules']);
    expect(check.look()).toBe('gone');
    expect(told).toEqual(['gone']);
    // The same folder is mounted again.
    memory.failing = null;
    expect(check.look()).toBe('back');
    expect(check.look()).toBe('there');
    expect(told).toEqual(['gone', 'back']);
  });

  it('is another one that holds files: it is taken for it at once', () => {
    const { check, told, replace, adopted } = scene();
    check.look();
    replace(['.git', 'b.md']);
    expect(check.look()).toBe('back');
    expect(adopted).toEqual([['.git', 'b.md']]);
    expect(check.look()).toBe('there');
    expect(told).toEqual(['back']);
    replace([]);
    check.look();
    replace(['c.md']);
    expect([check.look(), check.look()]).toEqual(['back', 'there']);
    expect(told).toEqual(['back', 'gone', 'back']);
  });

  it('that changes between two looks at its name is looked at closely the next time too', () => {
    const { memory, check } = scene();
    let hints = 0;
    memory.failing = (call) => {
      if (call === 'hint ' && (hints += 1) === 2) memory.set('', { kind: 'folder', ino: 50n });
      return null;
    };
    expect(check.look()).toBe('there');
    memory.calls.length = 0;
    check.look();
    expect(memory.calls).toContain('stat ');
  });

  it('that cannot be looked at is not gone', () => {
    const { memory, check, told } = scene();
    memory.failing = (call) => (call === 'stat ' ? Object.assign(new Error('EIO'), { code: 'EIO' }) : null);
    expect(() => check.look()).toThrow('EIO');
    expect(told).toEqual([]);
  });
});

describe('coming up to date', () => {
  it('waits for the events of what has happened by now', async () => {
    let turns = 0;
    const turn = (): void => void (turns++ < 100 && setImmediate(turn));
    setImmediate(turn);
    await waitForKernelEvents();
    expect(turns).toBe(2);
    const before = turns;
    await refreshed('changed');
    expect(turns).toBe(before + 2);
  });

  const refreshed = async (
    depth: 'changed' | 'strict',
    {
      isTold = true,
      news = [] as readonly string[] | null,
      root = 'there' as 'there' | 'gone' | 'back',
      error = null as Error | null,
    } = {},
  ): Promise<readonly string[]> => {
    const done: string[] = [];
    const work = (what: string) => async () => {
      done.push(what);
      if (error !== null) throw error;
    };
    const sync = {
      flush: work('flush'),
      reconcile: work('reconcile'),
      look: (paths: readonly string[], { isWhole = false } = {}) => done.push(`look ${paths.join(' ')}${isWhole ? '' : ', maybe half'}`),
    };
    const { refresh } = openRefresh({
      ready: async () => void done.push('ready'),
      isTold: () => isTold,
      sync: sync as never,
      store: { externalChanges: () => news },
      rootCheck: { look: () => root },
    });
    await refresh(depth);
    return done;
  };

  it('is to look at what events marked, and at what other processes wrote: that is whole, also where it is shorter than it was', async () => {
    expect(await refreshed('changed')).toEqual(['ready', 'flush']);
    expect(await refreshed('changed', { news: ['a.md', 'b.md'] })).toEqual(['ready', 'flush', 'look a.md b.md']);
  });

  it('is to compare everything where that is asked for, nothing is told, or more was written than is known', async () => {
    expect(await refreshed('strict', { news: ['a.md'] })).toEqual(['ready', 'reconcile']);
    expect(await refreshed('changed', { isTold: false, news: ['a.md'] })).toEqual(['ready', 'reconcile', 'look a.md']);
    expect(await refreshed('changed', { news: null })).toEqual(['ready', 'flush', 'reconcile']);
  });

  it('fails with the folder, unless that is gone: then what was there before is answered', async () => {
    const error = new Error('EIO');
    await expect(refreshed('changed', { error })).rejects.toThrow('EIO');
    await expect(refreshed('strict', { error, root: 'back' })).rejects.toThrow('EIO');
    expect(await refreshed('changed', { error, root: 'gone' })).toEqual(['ready', 'flush']);
  });
});
