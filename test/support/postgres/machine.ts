import { createHash, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { configSchema } from '../../../src/config.ts';
import { allOperations, allToolsets } from '../../../src/ops/all.ts';
import { VaultSession } from '../../../src/ops/session.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { readCheckpoint } from '../../../src/store/shared/checkpoint/checkpoint.ts';
import type { CountedVault, VaultOptions } from '../../../src/vault/open-vault.ts';
import { openReady } from '../open.ts';
import type { TestStore, UrlOptions } from './store.ts';
import { makeVault } from '../vault.ts';
import type { TestVault, VaultSource } from '../vault.ts';
import { waitFor } from '../wait-for.ts';

/** JSON whose shape the tests know. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** A machine with a folder that follows a vault of a store, and an agent at work in it. */
export interface SharedMachine {
  readonly name: string;
  readonly folder: TestVault;
  readonly vault: CountedVault;
  /** Calls a tool; rejects with its error. */
  ask(tool: string, args?: Record<string, unknown>): Promise<Json>;
  /** The same with the warnings. */
  answer(tool: string, args?: Record<string, unknown>): Promise<{ readonly output: Json; readonly warnings: readonly string[] }>;
  /** Visible files by path, with the hashes of their bytes. */
  files(): Readonly<Record<string, string>>;
  /** The server ends and starts again on the same folder. `meanwhile`: what happens in between. */
  restart(meanwhile?: () => void | Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** Opens a machine on a vault of a store. */
export async function openMachine(
  store: TestStore,
  name: string,
  more: { readonly vault: string; readonly source?: VaultSource; readonly how?: UrlOptions } & Pick<VaultOptions, 'openWatch' | 'pace'>,
): Promise<SharedMachine> {
  const folder = makeVault(more.source ?? {});
  const share = { machine: name, copy: randomUUID(), connect: () => store.open(more.vault, { ...more.how, machine: name }) };
  const config = configSchema.parse({ filenames: 'title' });
  const { openWatch, pace } = more;
  const heard = { ...(openWatch === undefined ? {} : { openWatch }), ...(pace === undefined ? {} : { pace }) };
  const open = (): Promise<CountedVault> => openReady(folder.root, { share, config, program: 'test', ...heard });
  let vault = await open();
  const session = (): VaultSession =>
    new VaultSession(
      { openVault: () => Promise.resolve(vault), config: vault.settings.config, toolsets: async () => allToolsets },
      { id: name, agent: () => name },
    );
  let agent = session();
  const answer: SharedMachine['answer'] = async (tool, args = {}) => {
    const operation = allOperations.find((each) => each.name === tool);
    if (operation === undefined) throw new Error(`There is no ${tool}.`);
    return agent.call({ operation, args });
  };
  return {
    name,
    folder,
    get vault() {
      return vault;
    },
    answer,
    ask: async (tool, args) => (await answer(tool, args)).output,
    files: () =>
      Object.fromEntries(
        folder
          .files()
          .map((path): [string, string] => [path, createHash('sha256').update(folder.readBytes(path)).digest('hex')])
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    async restart(meanwhile = () => undefined) {
      await vault.close();
      await meanwhile();
      vault = await open();
      agent = session();
    },
    async close() {
      await vault.close();
      folder.dispose();
    },
  };
}

/** Runs with machines on one vault of a store, which are gone afterwards. */
export async function withMachines<T>(
  store: TestStore,
  names: readonly string[],
  run: (machines: readonly SharedMachine[]) => Promise<T>,
  vault = `v${Math.random().toString(36).slice(2)}`,
): Promise<T> {
  const machines: SharedMachine[] = [];
  try {
    for (const name of names) machines.push(await openMachine(store, name, { vault }));
    return await run(machines);
  } finally {
    for (const machine of machines) await machine.close();
  }
}

/** Waits until every folder has the same files, and none is still being brought there: gives them. */
export async function settled(machines: readonly SharedMachine[]): Promise<Readonly<Record<string, string>>> {
  const [first] = machines;
  await waitFor(
    () => {
      const [one, ...others] = machines.map((machine) => JSON.stringify([machine.files(), standsAt(machine)]));
      // One without a mark has not begun to follow: it would take over what is there then, without its history.
      return others.every((other) => other === one) && machines.every((each) => standsAt(each) !== null && isAtRest(each));
    },
    { what: 'every folder to have the same files' },
  );
  return first?.files() ?? {};
}

/** The commit at which its folder stands; null where it bears no mark. */
const standsAt = ({ folder }: SharedMachine): number | null => readCheckpoint(openNodeFileSystem(folder.root))?.seq ?? null;

/** No write is under way in it. */
const isAtRest = ({ folder }: SharedMachine): boolean =>
  !folder.exists('.roux/journal') || !readdirSync(folder.path('.roux/journal')).some((name) => name.endsWith('.json'));
