import { describe, expect, it } from 'vitest';
import { filesOf } from '../../support/postgres/commits.ts';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import { openHttpServer } from '../../support/sharing/server.ts';
import { differing, hashesOf, withHomes } from '../../support/sharing/home.ts';
import { waitFor } from '../../support/wait-for.ts';

describe.skipIf(!hasPostgres)('two machines that serve one vault', () => {
  const store = useStore();

  it('P-02 what a tool or a person writes on one is read on the other, also on a copy that lasts as long as its server', () =>
    withHomes({ count: 3, password: PASSWORD }, async (a, b, c) => {
      const url = store.url('team notes', { password: null });
      const notes = a.folder('notes');
      notes.write('start.md', '# Start\n');
      await a.prepare(['share', url, 'notes']);
      await b.prepare(['clone', url, 'copy']);
      const copy = b.folder('copy');
      const [first, second] = await Promise.all([openHttpServer(a, ['notes']), openHttpServer(b, ['copy'])]);
      const third = await openHttpServer(c, ['--clone', url]);
      try {
        await first.call('create_node', { title: 'Made by a tool', content: 'See [[start]].' });
        const read = await waitFor(() => second.call('get_node', { id: 'made-by-a-tool' }).catch(() => null), {
          what: 'the note of a tool',
        });
        expect(read).toMatchObject({ content: 'See [[start]].' });
        await waitFor(() => third.call('get_node', { id: 'made-by-a-tool' }).catch(() => null), { what: 'the note in the temporary copy' });

        copy.write('person.md', 'Saved by a person\n');
        await waitFor(() => notes.exists('person.md') && notes.read('person.md') === 'Saved by a person\n', { what: "a person's file" });
        notes.remove('start.md');
        await waitFor(() => !copy.exists('start.md'), { what: 'the file that is gone' });

        const status = JSON.parse((await a.run(['share', '--status', 'notes', '--json'])).stdout) as { store: { followers: object[] } };
        expect(status.store.followers).toHaveLength(3);
        // The last edit of a copy that ends is not lost with it.
        await third.call('create_node', { title: 'Last', content: 'words' });
        expect(await third.stop()).toBe(0);
        expect(c.folder('../tmp').list('')).toEqual([]);
        await waitFor(() => notes.exists('last.md') && copy.exists('last.md'), { what: 'the last note of the temporary copy' });
      } finally {
        await Promise.all([first.stop(), second.stop(), third.stop()]);
      }
      expect(hashesOf(notes)).toEqual(hashesOf(copy));
      expect(await filesOf(await store.open('team notes', { user: 'writer' }))).toEqual(hashesOf(notes));
    }));

  it('what a command writes in the folder of a server is told once in its history, and so is what the server writes', () =>
    withHomes({ count: 1, password: PASSWORD }, async (home) => {
      const notes = home.folder('notes');
      notes.write('start.md', '# Start\n');
      await home.prepare(['share', store.url('beside', { password: null }), 'notes']);
      const server = await openHttpServer(home, ['notes']);
      try {
        for (const title of ['One', 'Two', 'Three'])
          expect(await home.run(['create', title, '--vault', 'notes'])).toMatchObject({ status: 0, stderr: '' });
        await server.call('create_node', { title: 'Four' });
      } finally {
        await server.stop();
      }
      const [segment = ''] = notes.list('.roux/history').filter((name) => name.endsWith('.jsonl'));
      const told = notes.read(`.roux/history/${segment}`).trim().split('\n');
      const made = told.map((line) => JSON.parse(line) as { action: string; path: string }).filter(({ action }) => action === 'created');
      expect(made.map(({ path }) => path)).toEqual(['one.md', 'two.md', 'three.md', 'four.md']);
    }));

  it('P-06 what a person goes on with, beside commands that push what was saved before, meets nobody', () =>
    withHomes({ count: 1, password: PASSWORD }, async (home) => {
      const notes = home.folder('notes');
      notes.write('draft.md', 'version 0\n');
      await home.prepare(['share', store.url('own edits', { password: null }), 'notes']);
      const server = await openHttpServer(home, ['notes']);
      let [version, isWriting] = [0, true];
      const person = (async () => {
        while (isWriting) {
          notes.write('draft.md', `version ${(version += 1)}\n`);
          await new Promise((resolve) => void setTimeout(resolve, 70 + (version % 7) * 60));
        }
      })();
      try {
        for (let count = 0; count < 8; count += 1)
          expect(await home.run(['create', `Beside ${count}`, '--vault', 'notes'])).toMatchObject({ status: 0 });
        isWriting = false;
        await person;
        const last = hashesOf(notes)['draft.md'];
        const stored = await store.open('own edits', { user: 'writer' });
        await waitFor(async () => (await filesOf(stored))['draft.md'] === last, { what: 'the last version in the store' });
      } finally {
        isWriting = false;
        await server.stop();
      }
      expect(notes.read('draft.md')).toBe(`version ${version}\n`);
      expect(notes.files().filter((path) => path.includes('conflict'))).toEqual([]);
    }));

  it('P-01 a server that runs on a folder while it is shared is not disturbed, and follows once it is started again', () =>
    withHomes({ count: 1, password: PASSWORD }, async (home) => {
      const url = store.url('running', { password: null });
      const notes = home.folder('notes');
      for (let note = 0; note < 400; note++) notes.write(`note ${note}.md`, `Note ${note}\n`);
      const before = await openHttpServer(home, ['notes']);
      const stored = async () => filesOf(await store.open('running', { user: 'writer' }));
      try {
        const sharing = home.run(['share', url, 'notes']);
        for (let turn = 0; turn < 20; turn++) await before.call('create_node', { title: `Made ${turn}`, content: 'x' });
        expect(await sharing).toMatchObject({
          status: 0,
          stderr: expect.stringContaining(`A server runs on the folder (process ${before.pid})`),
        });
        await before.call('create_node', { title: 'After', content: 'x' });
      } finally {
        await before.stop();
      }
      expect(Object.keys(await stored())).not.toContain('after.md');
      const again = await openHttpServer(home, ['notes']);
      try {
        await waitFor(async () => differing(await stored(), hashesOf(notes)).length === 0, { what: 'all of the folder in the store' });
      } finally {
        await again.stop();
      }
      expect(notes.files()).toHaveLength(421);
    }));

  it('P-11 a copy that lasts as long as its server stays when its last edits cannot be pushed, and says where', () =>
    withHomes({ count: 1, password: PASSWORD }, async (home) => {
      const url = store.url('kept', { password: null });
      home.folder('notes').write('a.md', 'A\n');
      await home.prepare(['share', url, 'notes']);
      const server = await openHttpServer(home, ['--clone', url]);
      const [name = ''] = home.folder('../tmp').list('');
      await store.cluster.stop('fast');
      try {
        home.folder(`../tmp/${name}/kept`).write('late.md', 'late\n');
        expect(await server.stop()).toBe(3);
        expect(server.told()).toContain('They are kept in');
        expect(home.folder(`../tmp/${name}/kept`).read('late.md')).toBe('late\n');
      } finally {
        await store.cluster.start();
      }
    }));
});
