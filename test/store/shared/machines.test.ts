import { describe, expect, it } from 'vitest';
import { filesOf, replay } from '../../support/postgres/commits.ts';
import { hasPostgres, useStore } from '../../support/postgres/store.ts';
import { isLong } from '../../support/effort.ts';
import { settled, withMachines } from '../../support/postgres/machine.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Writes of each of four machines; the store alone is tried with more (one-order.test.ts). */
const TURNS = isLong ? 250 : 15;

describe.skipIf(!hasPostgres)('machines that share a vault', () => {
  const store = useStore();

  it('P-02 what a tool writes, and what a person saves, is on every other machine; each copy is the store', () =>
    withMachines(
      store,
      ['anna', 'ben', 'cleo'],
      async ([anna, ben, cleo]) => {
        await anna!.ask('create_node', { title: 'Plan', content: 'First.\n' });
        await waitFor(async () => (await ben!.ask('list_nodes', {})).total === 1, { what: 'the note of another machine' });
        await ben!.ask('update_node', { id: 'Plan', append: 'Second.' });
        cleo!.folder.write('By hand.md', 'See [[Plan]].\n');
        cleo!.folder.write('sub/drawing.canvas', '{"nodes":[]}');
        await waitFor(() => anna!.folder.exists('sub/drawing.canvas') && anna!.folder.exists('By hand.md'), {
          what: 'what a person saved',
        });
        await waitFor(async () => (await anna!.ask('get_neighbors', { id: 'Plan', direction: 'in' })).length === 1, { what: 'its link' });
        const files = await settled([anna!, ben!, cleo!]);
        const vault = await store.open('three');
        expect(await filesOf(vault)).toEqual(files);
        expect(await replay(vault)).toEqual(files);
        expect((await cleo!.ask('get_node', { id: 'Plan' })).content).toContain('First.\nSecond.');
      },
      'three',
    ));

  it('P-02 four machines write at once: each write is in the feed once, every copy is equal', () =>
    withMachines(
      store,
      ['a', 'b', 'c', 'd'],
      async (machines) => {
        await machines[0]!.ask('create_node', { title: 'Log', content: 'Everybody writes here.\n' });
        await Promise.all(
          machines.map(async (machine) => {
            for (let turn = 0; turn < TURNS; turn += 1) {
              if (turn % 5 === 0)
                await machine.ask('create_node', { title: `Note ${machine.name} ${turn}`, content: `Of ${machine.name}.\n` });
              else await machine.ask('update_node', { id: 'Log', append: `${machine.name}-${turn}.` });
            }
          }),
        );
        await settled(machines);
        const vault = await store.open('many');
        expect(await vault.feed.head()).toBe(4 * TURNS + 1);
        expect(await filesOf(vault)).toEqual(machines[0]!.files());
        const text = machines[3]!.folder.read('Log.md');
        const marks = machines.flatMap(({ name }) =>
          Array.from({ length: TURNS }, (_, turn) => `${name}-${turn}.`).filter((_mark, turn) => turn % 5 !== 0),
        );
        expect(marks.filter((mark) => text.split(mark).length !== 2)).toEqual([]);
      },
      'many',
    ));
});
