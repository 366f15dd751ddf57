import { mergeNotes } from '../../../src/note/merge.ts';
import { openFolderStore } from '../../../src/store/open-folder-store.ts';
import type { FolderStore } from '../../../src/store/open-folder-store.ts';
import { openSharedStore } from '../../../src/store/shared/open-shared-store.ts';
import type { SharedStore } from '../../../src/store/shared/open-shared-store.ts';
import { randomOf } from '../random.ts';
import { testPorts } from '../test-ports.ts';
import { Killed } from './simulated-disk.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import { simulatedProcess } from './simulated-process.ts';
import type { SimulatedStore } from './simulated-store.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** What machines of a simulation have in common. */
export interface Surroundings {
  readonly seed: number;
  readonly time: SimulatedTime;
  readonly store: SimulatedStore;
  /** Hears of every call. */
  readonly note: (what: string) => void;
}

/** A machine with its folder; killed and started again it is another one on the same disk. */
export class SimulatedMachine {
  readonly name: string;
  readonly #among: Surroundings;
  disk: SimulatedDisk;
  shared!: SharedStore;
  /** So often this machine was killed. */
  kills = 0;
  /** Before so many more calls of the disk this machine is not killed. */
  killedIn = Infinity;
  isDead = false;
  /** Resolves a moment after this machine was killed: it never answers. */
  whenDead: Promise<'killed'> = Promise.resolve('killed');

  constructor(name: string, among: Surroundings, disk: SimulatedDisk) {
    this.name = name;
    this.#among = among;
    this.disk = disk;
  }

  get id(): string {
    return `${this.name}#${this.kills}`;
  }

  async start(): Promise<void> {
    const { seed, time, store, note } = this.#among;
    const { id } = this;
    let die = (): void => undefined;
    this.isDead = false;
    this.killedIn = Infinity;
    this.whenDead = new Promise((resolve) => {
      die = () => void time.pause(0).then(() => resolve('killed'));
    });
    this.disk.onCall(({ method, path }) => {
      note(`${id} ${method} ${path}`);
      this.killedIn -= 1;
      if (this.killedIn >= 0) return;
      this.isDead = true;
      store.kill(id);
      die();
      throw new Killed();
    });
    const ports = testPorts([], randomOf(id, seed));
    const folder: FolderStore = openFolderStore({
      files: this.disk.files,
      ports,
      self: simulatedProcess(this.kills + 1),
      git: { waitUntilDone: async () => false },
      reapply: () => null,
      isReadOnly: false,
      isSynced: true,
      trashDays: 0,
    });
    this.shared = openSharedStore({
      folder,
      ports,
      machine: this.name,
      connect: () => store.connect(id),
      merge: ({ base, ours, theirs }) => {
        if (base === null) return null;
        const { text, conflicts } = mergeNotes(base.toString(), ours.toString(), theirs.toString());
        return conflicts ? null : Buffer.from(text);
      },
      mayPush: () => true,
      onTrouble: () => undefined,
    });
    await this.shared.recover();
  }

  /** Starts it again, if it was killed; now and then it was the power that failed. */
  async rise(): Promise<void> {
    if (!this.isDead) return;
    const random = randomOf(`the end of ${this.id}`, this.#among.seed);
    this.kills += 1;
    this.disk = random.chance(0.6) ? this.disk.afterKill() : this.disk.crash(random.chance(0.3) ? 'power' : { seed: random.below(1e9) });
    await this.start();
  }
}
