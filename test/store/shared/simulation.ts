import { createHash } from 'node:crypto';
import { RouxError } from '../../../src/errors.ts';
import { hashOf } from '../../../src/store/folder/hash.ts';
import type { EventDraft } from '../../../src/store/records/history-event.ts';
import type { StoreChange } from '../../../src/store/store.ts';
import { randomOf } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { Killed, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { SimulatedMachine } from '../../support/simulated/simulated-machine.ts';
import type { Surroundings } from '../../support/simulated/simulated-machine.ts';
import { Cut, simulatedStore } from '../../support/simulated/simulated-store.ts';
import type { Faults } from '../../support/simulated/simulated-store.ts';
import { inSimulatedTime } from '../../support/simulated/simulated-time.ts';
import type { SimulatedTime } from '../../support/simulated/simulated-time.ts';

/** What a run came to. */
export interface Simulated {
  /** What should not be, a line each. */
  readonly faults: readonly string[];
  readonly writes: number;
  readonly edits: number;
  readonly kills: number;
  /** A hash of every call of a disk and of the store, in their order: the same for two runs of a seed. */
  readonly trace: string;
}

/**
 * Machines that share a vault, each with its agents and a person who edits, and a store in memory between them: everything that is left to
 * chance comes from the seed. Connections are cut at any step, machines killed at any call of the disk, or their power fails there. When all
 * is well again every copy, one that is made only then among them, has to be the store's files, every write that was acknowledged in the feed
 * once, and every word of a person or of such a write somewhere (P-19).
 */
export function simulate(seed: number, faults: Faults = {}): Promise<Simulated> {
  return inSimulatedTime((time) => simulateIn(time, seed, faults));
}

async function simulateIn(time: SimulatedTime, seed: number, faults: Faults): Promise<Simulated> {
  const random = randomOf('shared', seed);
  const store = simulatedStore(faults);
  const trace = createHash('sha256');
  const run: Run = {
    seed,
    time,
    note: (what) => void trace.update(`${what}\n`),
    random,
    store,
    acknowledged: new Map(),
    written: new Set(),
    edited: new Set(),
    removed: new Set(),
    refused: new Set(),
    words: 0,
  };
  let isHealing = false;
  const machines = ['anna', 'ben', 'cleo', 'dov']
    .slice(0, 2 + random.below(3))
    .map((name) => new SimulatedMachine(name, run, simulatedDisk({}, { syncing: () => (isHealing ? Promise.resolve() : pass(run)) })));
  const cuts = random.chance(0.7) ? random.next() * 0.08 : 0;
  store.onCall(async ({ machine, step }) => {
    run.note(`${machine} ${step}`);
    if (!isHealing) await pass(run);
    if (!isHealing && random.chance(step === 'commit' || step === 'committed' ? cuts * 2 : cuts)) throw new Cut();
  });
  for (const machine of machines) await machine.start();
  const steps = 4 + random.below(10);
  await Promise.all(machines.flatMap((machine) => [live(machine, steps, run), person(machine, random.below(steps), run)]));
  isHealing = true;
  for (const machine of machines) [machine.killedIn, machine.locked] = [Infinity, null];
  // Some were killed when their last step was done.
  for (const machine of machines) await machine.rise();
  // One more, which has nothing yet.
  const newcomer = new SimulatedMachine('eve', run, simulatedDisk({}));
  await newcomer.start();
  const faultsFound = [...(await heal([...machines, newcomer])), ...faultsOf([...machines, newcomer], run)];
  const kills = machines.reduce((sum, machine) => sum + machine.kills, 0);
  return { faults: faultsFound, writes: run.acknowledged.size, edits: run.edited.size, kills, trace: trace.digest('hex') };
}

const ROUNDS = 12;

/** Every machine meets the store until nothing is left to bring; tells which cannot. */
async function heal(machines: readonly SimulatedMachine[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const machine of machines) {
      machine.shared.touched(null);
      try {
        await machine.shared.sync();
      } catch (error) {
        if (round === ROUNDS) found.push(`${machine.name} cannot meet: ${String(error)}`);
      }
    }
  }
  return found;
}

/** What should not be when all is well again. */
function faultsOf(machines: readonly SimulatedMachine[], run: Run): readonly string[] {
  const { state } = run.store;
  const found: string[] = [];
  const files = Object.fromEntries(
    [...state.files.values()].map(({ path, hash }) => [path, state.blobs.get(hash)?.toString() ?? `no content ${hash}`]),
  );
  run.note(JSON.stringify(files));
  for (const { name, disk } of machines) found.push(...differences(name, disk.visible(), files));
  state.feed.forEach(({ seq }, index) => {
    if (seq !== index + 1) found.push(`the feed has ${seq} at place ${index + 1}`);
  });
  for (const [batch, what] of run.acknowledged) {
    const times = state.feed.filter((commit) => commit.batch === batch).length;
    if (times !== 1) found.push(`${what} was acknowledged and is in the feed ${times} times`);
  }
  // What a tool removed was meant to go, also where it was killed before it could say so.
  const removed = new Set(run.removed);
  for (const { operation, changes } of state.feed) {
    if (operation !== 'test') continue;
    for (const { hash, before } of changes) {
      if (hash !== null || before === null) continue;
      for (const said of state.blobs.get(before)?.toString().split(/\s+/) ?? []) removed.add(said);
    }
  }
  const ever = [...state.blobs.values()].join('\n');
  for (const said of run.refused) if (ever.includes(said)) found.push(`${said} was told as failed, and happened`);
  const all = Object.values(files).join('\n');
  for (const said of [...run.edited, ...run.written]) if (!removed.has(said) && !all.includes(said)) found.push(`${said} is lost`);
  return found;
}

interface Run extends Surroundings {
  readonly random: Random;
  /** By batch, what was done. */
  readonly acknowledged: Map<string, string>;
  /** Words of tools that were told that they are written. */
  readonly written: Set<string>;
  /** Words that somebody wrote, and that nobody meant to remove. */
  readonly edited: Set<string>;
  readonly removed: Set<string>;
  /** Words of writes of which somebody was told that they failed. */
  readonly refused: Set<string>;
  words: number;
}

const NAMES = ['one.md', 'two.md', 'sub/three.md', 'sub/four.md', 'five.canvas'];

async function live(machine: SimulatedMachine, steps: number, run: Run): Promise<void> {
  const { random } = run;
  for (let step = 0; step < steps; step += 1) {
    const what = random.below(10);
    if (random.chance(0.1)) machine.killedIn = random.below(60);
    if (random.chance(0.06)) machine.locked = { folder: 'sub', for: random.chance(0.5) ? 'writing' : 'all' };
    else if (random.chance(0.3)) machine.locked = null;
    try {
      if (what < 4) await write(machine, run);
      else if (what < 8) edit(machine, run);
      else await Promise.race([machine.shared.sync(), machine.whenDead]);
    } catch (error) {
      if (!(error instanceof RouxError) && !(error instanceof Killed)) throw error;
    }
    await machine.rise();
    await pass(run);
  }
}

/** A person edits whatever the machine does at that moment. */
async function person(machine: SimulatedMachine, steps: number, run: Run): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await run.time.pause(run.random.below(run.random.chance(0.5) ? 20 : 500));
    edit(machine, run);
  }
}

/** Time that nobody decides about: mostly a moment, now and then so long that what was written is old. */
function pass({ random, time }: Run): Promise<void> {
  return time.pause(random.chance(0.03) ? random.below(5_000) : random.below(6));
}

function word(run: Run): string {
  run.words += 1;
  return `w${run.words}x${run.random.below(1e6)}`;
}

/** A tool writes: what it makes is made of the newest state. */
async function write(machine: SimulatedMachine, run: Run): Promise<void> {
  const { random } = run;
  const path = random.pick(NAMES);
  const to = random.pick(NAMES);
  const said = word(run);
  const kind = random.below(6);
  let isSaid = false;
  const done = await Promise.race([
    machine.shared.transact({ operation: 'test', agent: machine.name }, async (now) => {
      const of = await now.read(path, { known: knownAt(machine, path) });
      isSaid = of === null || kind > 1;
      if (of === null) return { changes: [told(path, { kind: 'create', path, bytes: Buffer.from(newNote(said)) })] };
      if (kind === 0) return { changes: [told(path, { kind: 'remove', of, to: 'trash' })] };
      if (kind === 1 && path !== to && path.endsWith('.md') && to.endsWith('.md') && machine.disk.visible()[to] === undefined)
        return { changes: [told(to, { kind: 'move', of, to, bytes: null, changes: null, isCommutative: false })] };
      isSaid = true;
      const bytes = Buffer.from(`${of.bytes.toString()}${said}\n`);
      return { changes: [told(path, { kind: 'replace', of, bytes, changes: null, isCommutative: false })] };
    }),
    machine.whenDead,
  ]).catch((error: unknown) => {
    if (error instanceof RouxError) run.refused.add(said);
    throw error;
  });
  if (done === 'killed' || done.kind !== 'done' || done.batch === null) return;
  if (isSaid) run.written.add(said);
  run.acknowledged.set(done.batch, `${machine.name}: ${path} ${said}`);
}

/** A new note has an id of its own, by which it is one note wherever it goes. */
const newNote = (said: string): string => `---\nid: id-${said}\n---\n${said}\n`;

/** Nobody is in the middle of a save here. */
function knownAt({ disk }: SimulatedMachine, path: string): string | null {
  const text = disk.visible()[path];
  return text === undefined ? null : hashOf(Buffer.from(text));
}

/** A person saves, renames or removes a file in the folder. */
function edit(machine: SimulatedMachine, run: Run): void {
  const { random } = run;
  const { disk } = machine;
  const files = disk.visible();
  const paths = Object.keys(files);
  const path = paths.length > 0 && random.chance(0.7) ? random.pick(paths) : random.pick(NAMES);
  const text = files[path] ?? '';
  const kind = random.below(11);
  run.note(`${machine.id} edits ${path} ${kind} ${run.words}`);
  // Where a folder has no rights, a person edits elsewhere.
  if (machine.locked !== null && (kind > 7 || path.startsWith(`${machine.locked.folder}/`))) return;
  if (kind === 0 && files[path] !== undefined) {
    for (const each of text.split(/\s+/)) run.removed.add(each);
    disk.remove(path);
  } else if (kind === 1 && files[path] !== undefined) {
    const to = `moved-${run.words}.md`;
    run.words += 1;
    disk.remove(path);
    disk.save(to, text);
  } else if (kind > 7) rename(machine, kind, { path, other: random.pick(NAMES), number: (run.words += 1) });
  else {
    const said = word(run);
    run.edited.add(said);
    const begin = /^---\n.*\n---\n/.exec(text)?.[0] ?? '';
    const rest = text.slice(begin.length);
    const next = text === '' ? newNote(said) : random.chance(0.5) ? `${begin}${said}\n${rest}` : `${text}${said}\n`;
    disk.save(path, next, random.chance(0.5) ? 'in-place' : 'rename');
  }
  machine.shared.touched(random.chance(0.5) ? null : path.includes('/') ? 'sub' : '');
  if (random.chance(0.2)) machine.shared.touched(null);
  else {
    machine.shared.touched('');
    machine.shared.touched('sub');
  }
}

/** A person gives a file, two files or a folder other names. */
function rename(
  { disk }: SimulatedMachine,
  kind: number,
  given: { readonly path: string; readonly other: string; readonly number: number },
): void {
  const { path, other, number } = given;
  const files = disk.visible();
  if (kind === 10) {
    if (Object.keys(files).some((name) => name.startsWith('sub/'))) disk.move('sub', `sub-${number}`);
  } else if (files[path] === undefined) return;
  else if (kind === 8) disk.move(path, `renamed-${number}.md`);
  else if (kind === 9 && other !== path && files[other] !== undefined) {
    disk.move(path, '.swapped');
    disk.move(other, path);
    disk.move('.swapped', other);
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
