import { setImmediate } from 'node:timers/promises';
import { RouxError } from '../../../src/errors.ts';
import { mergeNotes } from '../../../src/note/merge.ts';
import { hashOf } from '../../../src/store/folder/hash.ts';
import { openFolderStore } from '../../../src/store/open-folder-store.ts';
import type { FolderStore } from '../../../src/store/open-folder-store.ts';
import { openSharedStore } from '../../../src/store/shared/open-shared-store.ts';
import type { SharedStore } from '../../../src/store/shared/open-shared-store.ts';
import type { EventDraft } from '../../../src/store/records/history-event.ts';
import type { StoreChange } from '../../../src/store/store.ts';
import { randomOf } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { Killed, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { Cut, simulatedStore } from '../../support/simulated/simulated-store.ts';
import type { Faults, SimulatedStore } from '../../support/simulated/simulated-store.ts';
import { testPorts } from '../../support/test-ports.ts';

/** What a run came to. */
export interface Simulated {
  /** What should not be, a line each. */
  readonly faults: readonly string[];
  readonly writes: number;
  readonly edits: number;
  readonly kills: number;
}

/** A machine with its folder; killed and started again it is another one on the same disk. */
class Machine {
  readonly name: string;
  readonly #store: SimulatedStore;
  disk: SimulatedDisk;
  shared!: SharedStore;
  incarnation = 0;
  /** Resolves a moment after this machine was killed. */
  whenDead: Promise<'killed'> = Promise.resolve('killed');
  die: () => void = () => undefined;

  constructor(name: string, store: SimulatedStore, disk: SimulatedDisk) {
    this.name = name;
    this.#store = store;
    this.disk = disk;
  }

  async start(): Promise<void> {
    this.incarnation += 1;
    this.whenDead = new Promise((resolve) => {
      this.die = () => void setImmediate().then(() => resolve('killed'));
    });
    const ports = testPorts();
    const folder: FolderStore = openFolderStore({
      files: this.disk.files,
      ports,
      self: simulatedProcess(this.incarnation),
      git: { waitUntilDone: async () => false },
      reapply: () => null,
      isReadOnly: false,
      isSynced: true,
      trashDays: 0,
    });
    const id = `${this.name}#${this.incarnation}`;
    this.shared = openSharedStore({
      folder,
      ports,
      machine: this.name,
      connect: () => this.#store.connect(id),
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
}

/**
 * Machines that share a vault, each with its agents and a person who edits, and a store in memory between them: everything that is left to
 * chance comes from the seed. Connections are cut at any step, machines killed at any call of the disk. When all is well again every copy
 * has to be the store's files, every write that was acknowledged in the feed once, and every word of a person somewhere (P-19).
 */
export async function simulate(seed: number, faults: Faults = {}): Promise<Simulated> {
  const random = randomOf('shared', seed);
  const store = simulatedStore(faults);
  const machines = ['anna', 'ben', 'cleo', 'dov'].slice(0, 2 + random.below(3)).map((name) => new Machine(name, store, simulatedDisk({})));
  const run: Run = {
    random,
    store,
    acknowledged: new Map(),
    edited: new Set(),
    removed: new Set(),
    refused: new Set(),
    dead: new Set(),
    kills: 0,
    words: 0,
  };
  const cuts = random.chance(0.7) ? random.next() * 0.08 : 0;
  let isHealing = false;
  store.onCall(async ({ step }) => {
    for (let turns = random.below(4); turns > 0; turns -= 1) await setImmediate();
    if (!isHealing && random.chance(step === 'commit' || step === 'committed' ? cuts * 2 : cuts)) throw new Cut();
  });
  for (const machine of machines) await machine.start();
  const steps = 4 + random.below(10);
  await Promise.all(machines.map((machine) => live(machine, steps, run)));
  isHealing = true;
  // Some were killed when their last step was done.
  for (const machine of machines) await rise(machine, run);
  const found: string[] = [];
  for (let round = 0; round < 12; round += 1) {
    for (const machine of machines) {
      machine.disk.onCall(null);
      machine.shared.touched(null);
      try {
        await machine.shared.meet();
      } catch (error) {
        if (round === 11) found.push(`${machine.name} cannot meet: ${String(error)}`);
      }
    }
  }
  const files = Object.fromEntries(
    [...store.state.files.values()].map(({ path, hash }) => [path, store.state.blobs.get(hash)?.toString() ?? `no content ${hash}`]),
  );
  for (const { name, disk } of machines) found.push(...differences(name, disk.visible(), files));
  store.state.feed.forEach(({ seq }, index) => {
    if (seq !== index + 1) found.push(`the feed has ${seq} at place ${index + 1}`);
  });
  for (const [batch, what] of run.acknowledged) {
    const times = store.state.feed.filter((commit) => commit.batch === batch).length;
    if (times !== 1) found.push(`${what} was acknowledged and is in the feed ${times} times`);
  }
  // What a tool removed was meant to go, also where it was killed before it could say so.
  for (const { operation, changes } of store.state.feed) {
    if (operation !== 'test') continue;
    for (const { hash, before } of changes) {
      if (hash !== null || before === null) continue;
      for (const said of store.state.blobs.get(before)?.toString().split(/\s+/) ?? []) run.removed.add(said);
    }
  }
  const ever = [...store.state.blobs.values()].join('\n');
  for (const said of run.refused) if (ever.includes(said)) found.push(`${said} was told as failed, and happened`);
  const all = Object.values(files).join('\n');
  for (const word of run.edited) if (!run.removed.has(word) && !all.includes(word)) found.push(`${word} is lost`);
  return { faults: found, writes: run.acknowledged.size, edits: run.edited.size, kills: run.kills };
}

interface Run {
  readonly random: Random;
  readonly store: SimulatedStore;
  readonly acknowledged: Map<string, string>;
  /** Words that somebody wrote, and that nobody meant to remove. */
  readonly edited: Set<string>;
  readonly removed: Set<string>;
  /** Words of writes of which somebody was told that they failed. */
  readonly refused: Set<string>;
  readonly dead: Set<string>;
  kills: number;
  words: number;
}

const NAMES = ['one.md', 'two.md', 'sub/three.md', 'sub/four.md', 'five.canvas'];

async function live(machine: Machine, steps: number, run: Run): Promise<void> {
  const { random } = run;
  for (let step = 0; step < steps; step += 1) {
    const what = random.below(10);
    if (random.chance(0.1)) armKill(machine, run);
    try {
      if (what < 4) await write(machine, run);
      else if (what < 8) edit(machine, run);
      else await Promise.race([machine.shared.meet(), deadline(machine)]);
    } catch (error) {
      if (!(error instanceof RouxError) && !(error instanceof Killed)) throw error;
    }
    await rise(machine, run);
    for (let turns = random.below(6); turns > 0; turns -= 1) await setImmediate();
  }
}

/** A machine that was killed is started again. */
async function rise(machine: Machine, run: Run): Promise<void> {
  if (!run.dead.has(`${machine.name}#${machine.incarnation}`)) return;
  machine.disk = machine.disk.afterKill();
  await machine.start();
}

/** The machine is killed at one of its next calls of the disk. */
function armKill(machine: Machine, run: Run): void {
  let left = run.random.below(60);
  const id = `${machine.name}#${machine.incarnation}`;
  machine.disk.onCall(() => {
    left -= 1;
    if (left >= 0) return;
    if (!run.dead.has(id)) {
      run.kills += 1;
      run.dead.add(id);
      run.store.kill(id);
      machine.die();
    }
    throw new Killed();
  });
}

function word({ random }: Run, run: Run): string {
  run.words += 1;
  return `w${run.words}x${random.below(1e6)}`;
}

/** A tool writes: what it makes is made of the newest state. */
async function write(machine: Machine, run: Run): Promise<void> {
  const { random } = run;
  const path = random.pick(NAMES);
  const to = random.pick(NAMES);
  const said = word(run, run);
  const kind = random.below(6);
  const signal = deadline(machine);
  const done = await Promise.race([
    machine.shared.transact({ operation: 'test', agent: machine.name }, async (now) => {
      const of = await now.read(path, { known: knownAt(machine, path) });
      if (of === null) return { changes: [told(path, { kind: 'create', path, bytes: Buffer.from(`${said}\n`) })] };
      if (kind === 0) return { changes: [told(path, { kind: 'remove', of, to: 'trash' })] };
      if (kind === 1 && path !== to && path.endsWith('.md') && to.endsWith('.md') && machine.disk.visible()[to] === undefined)
        return { changes: [told(to, { kind: 'move', of, to, bytes: null, changes: null, isCommutative: false })] };
      const bytes = Buffer.from(`${of.bytes.toString()}${said}\n`);
      return { changes: [told(path, { kind: 'replace', of, bytes, changes: null, isCommutative: false })] };
    }),
    signal,
  ]).catch((error: unknown) => {
    if (error instanceof RouxError) run.refused.add(said);
    throw error;
  });
  if (done === 'killed' || done.kind !== 'done' || done.batch === null) return;
  run.acknowledged.set(done.batch, `${machine.name}: ${path} ${said}`);
}

/** Nobody is in the middle of a save here. */
function knownAt({ disk }: Machine, path: string): string | null {
  const text = disk.visible()[path];
  return text === undefined ? null : hashOf(Buffer.from(text));
}

/** A machine that was killed never answers. */
function deadline(machine: Machine): Promise<'killed'> {
  return machine.whenDead;
}

/** A person saves, renames or removes a file in the folder. */
function edit(machine: Machine, run: Run): void {
  const { random } = run;
  const { disk } = machine;
  const files = disk.visible();
  const paths = Object.keys(files);
  const path = paths.length > 0 && random.chance(0.7) ? random.pick(paths) : random.pick(NAMES);
  const text = files[path] ?? '';
  const kind = random.below(8);
  if (kind === 0 && files[path] !== undefined) {
    for (const each of text.split(/\s+/)) run.removed.add(each);
    disk.remove(path);
  } else if (kind === 1 && files[path] !== undefined) {
    const to = `moved-${run.words}.md`;
    run.words += 1;
    disk.remove(path);
    disk.save(to, text);
  } else {
    const said = word(run, run);
    run.edited.add(said);
    disk.save(path, random.chance(0.5) ? `${said}\n${text}` : `${text}${said}\n`, random.chance(0.5) ? 'in-place' : 'rename');
  }
  machine.shared.touched(random.chance(0.5) ? null : path.includes('/') ? 'sub' : '');
  if (random.chance(0.2)) machine.shared.touched(null);
  else {
    machine.shared.touched('');
    machine.shared.touched('sub');
  }
}

function told<Change extends object>(path: string, change: Change): Change & Pick<StoreChange, 'events' | 'describe'> {
  const events: readonly EventDraft[] = [{ node: path, path, action: 'updated', changes: [] }];
  return { ...change, events, describe: () => events };
}

function differences(name: string, have: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set([...Object.keys(have), ...Object.keys(wanted)])].flatMap((path) =>
    have[path] === wanted[path] ? [] : [`${name} has ${path}: ${JSON.stringify(have[path])} and not ${JSON.stringify(wanted[path])}`],
  );
}
