import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settled, withMachines } from '../../../support/postgres/machine.ts';
import type { SharedMachine } from '../../../support/postgres/machine.ts';
import { hasPostgres, useStore } from '../../../support/postgres/store.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** What another machine writes afterwards still comes, and a tool may write. */
async function goOn(from: SharedMachine, to: SharedMachine): Promise<void> {
  from.folder.write('After.md', 'after\n');
  await waitFor(() => to.folder.exists('After.md'), { what: 'what came after' });
  await to.ask('create_node', { title: 'Own', content: 'x\n' });
}

describe.skipIf(!hasPostgres)('a file where another machine has a folder', () => {
  const store = useStore();
  const changes: Readonly<Record<string, (path: (name: string) => string, anna: SharedMachine) => void>> = {
    'a file becomes a folder': (path, { folder }) => {
      rmSync(path('plan'));
      folder.write('plan/in.md', 'in\n');
    },
    'a folder becomes a file': (path, { folder }) => {
      rmSync(path('area'), { recursive: true });
      folder.write('area', 'a file now\n');
    },
    'a file moves into a folder of its own name': (path) => {
      renameSync(path('plan'), path('.plan'));
      mkdirSync(path('plan'));
      renameSync(path('.plan'), path('plan/plan.md'));
    },
    'a file takes the name of its folder': (path) => {
      renameSync(path('area/one.md'), path('.one'));
      rmSync(path('area'), { recursive: true });
      renameSync(path('.one'), path('area'));
    },
  };

  for (const [what, change] of Object.entries(changes)) {
    it(`P-08 ${what}: every machine has it`, () =>
      withMachines(store, ['anna', 'ben'], async (machines) => {
        const [anna, ben] = machines;
        anna!.folder.write('plan', 'a plan\n');
        anna!.folder.write('area/one.md', 'one\n');
        anna!.folder.write('area/two.md', 'two\n');
        await waitFor(() => ben!.folder.exists('area/two.md') && ben!.folder.exists('plan'), { what: 'the files' });
        change((name) => anna!.folder.path(name), anna!);
        await goOn(anna!, ben!);
        expect(Object.keys(await settled(machines)).filter((path) => path.includes('conflict'))).toEqual([]);
      }));
  }
});
