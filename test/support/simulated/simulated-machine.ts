import type { SharedStore } from '../../../src/store/shared/open-shared-store.ts';
import { randomOf } from '../random.ts';
import { testPorts } from '../test-ports.ts';
import { openSimulatedCopy } from './simulated-copy.ts';
import { Killed } from './simulated-disk.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
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
    const { name: machine, disk } = this;
    this.shared = openSimulatedCopy({ disk, ports, machine, process: this.kills + 1, connect: () => store.connect(id) });
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
