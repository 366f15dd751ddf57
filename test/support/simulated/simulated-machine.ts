import { RouxError } from '../../../src/errors.ts';
import type { SharedStore } from '../../../src/store/shared/shared-store.ts';
import { randomOf } from '../random.ts';
import { testPorts } from '../test-ports.ts';
import { openSimulatedCopy } from './simulated-copy.ts';
import { failure, Killed } from './simulated-disk.ts';
import type { DiskCall, SimulatedDisk } from './simulated-disk.ts';
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

const CHANGES_NAMES: ReadonlySet<string> = new Set(['create', 'makeFolder', 'link', 'rename', 'remove', 'removeFolder']);

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
  /** A folder whose rights somebody took away: to write in it, or to look into it as well. */
  locked: { readonly folder: string; readonly for: 'writing' | 'all' } | null = null;
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
    this.disk.onCall((call) => {
      const { method, path } = call;
      note(`${id} ${method} ${path}`);
      this.killedIn -= 1;
      if (this.killedIn >= 0) {
        if (this.#isRefused(call)) throw failure('EACCES', path);
        return;
      }
      this.isDead = true;
      store.kill(id);
      die();
      throw new Killed();
    });
    const ports = testPorts([], randomOf(id, seed));
    const { name: machine, disk } = this;
    this.shared = openSimulatedCopy({ disk, ports, machine, copy: machine, process: this.kills + 1, connect: () => store.connect(id) });
    try {
      await this.shared.recover();
    } catch (error) {
      // What cannot be recovered now is tried again before the first write.
      if (!(error instanceof RouxError)) throw error;
    }
  }

  #isRefused({ method, path, from = path }: DiskCall): boolean {
    if (this.locked === null) return false;
    const inside = `${this.locked.folder}/`;
    if (path.startsWith(inside) || from.startsWith(inside)) return this.locked.for === 'all' || CHANGES_NAMES.has(method);
    return this.locked.for === 'all' && method === 'list' && path === this.locked.folder;
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
