import { mkdirSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settled, withMachines } from '../../../support/postgres/machine.ts';
import type { SharedMachine } from '../../../support/postgres/machine.ts';
import { hasPostgres, useStore } from '../../../support/postgres/store.ts';
import { waitFor } from '../../../support/wait-for.ts';

const LINES = 'one\n\ntwo\n\nthree\n\nfour\n\nfive\n';

/** A note that both have, with an id. */
async function shared(machines: readonly SharedMachine[], title: string): Promise<void> {
  // Only a machine that follows already gets the note with its history.
  await settled(machines);
  await machines[0]!.ask('create_node', { title, content: `${LINES}\nof ${title}\n` });
  await settled(machines);
}

/** What a person does to a note by its name in a folder. */
const BY_HAND: Readonly<Record<string, (machine: SharedMachine) => void>> = {
  'a rename': ({ folder }) => renameSync(folder.path('Note.md'), folder.path('Renamed.md')),
  'a case-only rename': ({ folder }) => renameSync(folder.path('Note.md'), folder.path('NOTE.md')),
  'a swap': ({ folder }) => {
    renameSync(folder.path('Note.md'), folder.path('.swap'));
    renameSync(folder.path('Other.md'), folder.path('Note.md'));
    renameSync(folder.path('.swap'), folder.path('Other.md'));
  },
  'a move into a folder of its own name': ({ folder }) => {
    renameSync(folder.path('Note.md'), folder.path('.note'));
    mkdirSync(folder.path('Note.md'));
    renameSync(folder.path('.note'), folder.path('Note.md/in.md'));
  },
};

describe.skipIf(!hasPostgres)('what a person renames on one machine while it is edited on another', () => {
  const store = useStore();

  for (const [what, rename] of Object.entries(BY_HAND)) {
    it(`H-11 ${what} on a machine that was away, and an edit elsewhere, are one note`, () =>
      withMachines(store, ['anna', 'ben'], async (machines) => {
        const [anna, ben] = machines;
        await shared(machines, 'Note');
        await shared(machines, 'Other');
        await anna!.restart(async () => {
          rename(anna!);
          await ben!.ask('update_node', { id: 'Note', append: 'By a tool of Ben.' });
        });
        await waitFor(() => anna!.folder.files().some((path) => anna!.folder.read(path).includes('By a tool of Ben.')), {
          what: 'the edit',
        });
        const files = Object.keys(await settled(machines));
        expect(files).toHaveLength(2);
        const texts = files.map((path) => ben!.folder.read(path));
        expect(texts.filter((text) => text.includes('of Note') && text.includes('By a tool of Ben.'))).toHaveLength(1);
        expect(texts.filter((text) => text.includes('of Other'))).toHaveLength(1);
        expect(files.includes('Note.md') && ben!.folder.read('Note.md').includes('of Note')).toBe(false);
      }));
  }

  it('H-11 a task that is renamed by hand and resolved elsewhere is one task, and resolved', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      const { root } = await anna!.ask('graph_open', { project: 'fence' });
      const plan = await anna!.ask('graph_plan', { nodes: [{ ref: 'one', parent_ref: root.id, summary: 'Paint the fence' }] });
      await settled(machines);
      const path = anna!.folder.files().find((each) => anna!.folder.read(each).includes('Paint the fence')) ?? '';
      await anna!.restart(async () => {
        renameSync(anna!.folder.path(path), anna!.folder.path('By hand.md'));
        await ben!
          .ask('graph_update', { updates: [{ node_id: plan.created?.[0]?.id ?? plan.nodes?.[0]?.id, resolved: true }] })
          .catch(async (error: unknown) => {
            throw new Error(`${JSON.stringify(plan)} ${String(error)}`);
          });
      });
      await waitFor(() => ben!.folder.exists('By hand.md'), { what: 'the name' });
      await settled(machines);
      const tasks = anna!.folder.files().filter((each) => anna!.folder.read(each).includes('Paint the fence'));
      expect(tasks).toEqual(['By hand.md']);
      expect(anna!.folder.read('By hand.md')).toContain('resolved: true');
    }));

  it('H-12 what a person edits is in the history of their own machine, though somebody else edits it a moment later', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      await shared(machines, 'Note');
      anna!.folder.write('Note.md', anna!.folder.read('Note.md').replace('one\n', 'one by hand of Anna\n'));
      await waitFor(() => ben!.folder.read('Note.md').includes('by hand of Anna'), { what: 'the edit' });
      await ben!.ask('update_node', { id: 'Note', append: 'By a tool of Ben.' });
      await waitFor(() => anna!.folder.read('Note.md').includes('By a tool of Ben.'), { what: "Ben's edit" });
      await settled(machines);
      for (const machine of machines) {
        const { events } = (await machine.ask('history', { id: 'Note' })) as { events: readonly { agent: string; action: string }[] };
        expect(
          events.map(({ agent }) => agent),
          machine.name,
        ).toEqual(['ben', 'external', 'anna']);
      }
    }));

  it('H-12 what a person edits is in the history of each machine once, where it was merged with an edit of another one', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      await shared(machines, 'Note');
      await anna!.restart(async () => {
        anna!.folder.write('Note.md', anna!.folder.read('Note.md').replace('one\n', 'one by hand of Anna\n'));
        await ben!.ask('update_node', { id: 'Note', append: 'By a tool of Ben.' });
      });
      await waitFor(() => ben!.folder.read('Note.md').includes('by hand of Anna'), { what: 'the edit' });
      await settled(machines);
      for (const machine of machines) {
        const { events } = (await machine.ask('history', { id: 'Note' })) as { events: readonly { agent: string }[] };
        expect(
          events.map(({ agent }) => agent),
          machine.name,
        ).toEqual(['external', 'ben', 'anna']);
      }
    }));
});
