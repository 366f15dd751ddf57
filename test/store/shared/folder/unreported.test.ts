import { describe, expect, it } from 'vitest';
import { openFolderWatch } from '../../../../src/store/folder/watch.ts';
import type { OpenWatch, WatchListener } from '../../../../src/store/folder/watch.ts';
import { openMachine, settled } from '../../../support/postgres/machine.ts';
import type { SharedMachine } from '../../../support/postgres/machine.ts';
import { hasPostgres, useStore } from '../../../support/postgres/store.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** Reports what happens in the folders that it was given first; of later ones nothing, as if their watches came after everything. */
const lateWatch: OpenWatch = (listener) => {
  const watch = openFolderWatch(listener);
  let isFirst = true;
  return {
    ...watch,
    add(folders) {
      if (isFirst) watch.add(folders);
      isFirst = false;
    },
  };
};

describe.skipIf(!hasPostgres)('changes in a folder without an event', () => {
  const store = useStore();

  /** Two machines on one vault, the second with a watch of the test's own. */
  async function withWatched(
    vault: string,
    watched: Pick<Parameters<typeof openMachine>[2], 'openWatch' | 'pace'>,
    run: (one: SharedMachine, other: SharedMachine) => Promise<void>,
  ): Promise<void> {
    const one = await openMachine(store, 'anna', { vault });
    const other = await openMachine(store, 'ben', { vault, ...watched });
    try {
      await run(one, other);
    } finally {
      await one.close();
      await other.close();
    }
  }

  it('P-08 what is put into a new folder before it is watched is shared', () =>
    withWatched('late', { openWatch: lateWatch }, async (one, other) => {
      await settled([one, other]);
      one.folder.write('area/one.md', 'one\n');
      await waitFor(() => other.folder.exists('area/one.md'), { what: 'the folder' });
      await waitFor(() => other.vault.graph.get('area/one.md') !== null, { what: 'the note' });
      other.folder.write('area/two.md', 'two\n');
      other.folder.write('area/picture.png', 'picture\n');
      await waitFor(() => one.folder.exists('area/two.md') && one.folder.exists('area/picture.png'), { what: 'the files' });
      expect(one.folder.read('area/two.md')).toBe('two\n');
    }));

  it('F27 P-06 what is saved is shared where no folder can be watched', () => {
    const heard: WatchListener[] = [];
    const openWatch: OpenWatch = (listener) => {
      heard.push(listener);
      return { add: () => undefined, drop: () => undefined, close: () => Promise.resolve() };
    };
    return withWatched('deaf', { openWatch, pace: { polling: 200 } }, async (one, other) => {
      await settled([one, other]);
      heard[0]!.onError(Object.assign(new Error('watch'), { code: 'ENOSPC' }));
      other.folder.write('one.md', 'one\n');
      other.folder.write('picture.png', 'picture\n');
      await waitFor(() => one.folder.exists('one.md') && one.folder.exists('picture.png'), { what: 'the files' });
      expect(one.folder.read('one.md')).toBe('one\n');
    });
  });
});
