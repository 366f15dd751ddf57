import { openFolderStore } from '../../../../src/store/open-folder-store.ts';
import { openSharedStore } from '../../../../src/store/shared/open-shared-store.ts';
import type { SharedStore, SharedStoreOptions } from '../../../../src/store/shared/shared-store.ts';
import type { Done, Now, StoreChange } from '../../../../src/store/store.ts';
import { simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../../support/simulated/simulated-process.ts';
import { overrideVault } from '../../../support/simulated/simulated-store.ts';
import type { SimulatedStore, VaultOverrides } from '../../../support/simulated/simulated-store.ts';
import { testPorts } from '../../../support/test-ports.ts';

/** A machine that shares a vault, with what it told. */
export interface Machine {
  readonly disk: SimulatedDisk;
  readonly shared: SharedStore;
  /** What people were told, and what was logged. */
  readonly said: string[];
  readonly log: string[];
  readonly changed: string[];
  /** The paths of the events that were told. */
  readonly told: string[];
  readonly troubles: (string | null)[];
}

interface How extends Partial<SharedStoreOptions> {
  readonly otherwise?: VaultOverrides;
  readonly pid?: number;
  /** A write may wait for git as long as this. */
  readonly onGitWait?: (milliseconds: number) => void;
}

/** A machine that follows a store; `otherwise`: what of the vault is not as the store has it. */
export function machineOf(
  store: SimulatedStore,
  name: string,
  disk = simulatedDisk({}),
  { otherwise = {}, pid = 1, onGitWait, ...how }: How = {},
): Machine {
  const [said, log, changed, told]: [string[], string[], string[], string[]] = [[], [], [], []];
  const troubles: (string | null)[] = [];
  const ports = testPorts(log);
  const folder = openFolderStore({
    files: disk.files,
    ports,
    self: simulatedProcess(pid),
    git: {
      async waitUntilDone(milliseconds) {
        onGitWait?.(milliseconds);
        return false;
      },
    },
    reapply: () => null,
    isReadOnly: false,
    isSynced: true,
    trashDays: 0,
  });
  const shared = openSharedStore({
    folder,
    ports,
    machine: name,
    copy: name,
    connect: async () => overrideVault(await store.connect(name), otherwise),
    merge: () => null,
    mayPush: () => true,
    onTrouble: (message) => void troubles.push(message),
    ...how,
  });
  shared.listen({
    onEvents: (more) => void told.push(...more.map(({ path }) => path)),
    onReport: (message) => void said.push(message),
    onChanged: (paths) => void changed.push(...paths),
  });
  return { disk, shared, said, log, changed, told, troubles };
}

const events = [{ node: 'n', path: 'n.md', action: 'created' as const, changes: [] }];
/** A new file. */
export const create = (path: string, text = `${path}\n`): StoreChange => ({
  kind: 'create',
  path,
  bytes: Buffer.from(text),
  events,
  describe: () => events,
});
/** A file with more at its end. */
export const replace = async (now: Now, path: string, add: string): Promise<StoreChange> => {
  const of = await now.read(path);
  if (of === null) throw new Error(`There is no ${path}.`);
  return {
    kind: 'replace',
    of,
    bytes: Buffer.concat([of.bytes, Buffer.from(add)]),
    changes: null,
    isCommutative: false,
    events,
    describe: () => events,
  };
};
/** A tool of this machine makes these changes. */
export const write = ({ shared }: Machine, ...changes: readonly StoreChange[]): Promise<Done> =>
  shared.transact({ operation: 'test', agent: 'ada' }, async () => ({ changes }));

/** The files of the store with their texts. */
export const stored = ({ state }: SimulatedStore): Readonly<Record<string, string>> =>
  Object.fromEntries([...state.files.values()].map(({ path, hash }) => [path, state.blobs.get(hash)?.toString() ?? 'no content']));
/** The commits of the store, a line each. */
export const operations = ({ state }: SimulatedStore): readonly string[] =>
  state.feed.map(({ operation, agent, changes }) => `${agent} ${operation} ${changes.map(({ op, path }) => `${op} ${path}`).join(', ')}`);
