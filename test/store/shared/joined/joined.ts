import { RouxError } from '../../../../src/errors.ts';
import { foldKey } from '../../../../src/note/path.ts';
import type { StoreChange } from '../../../../src/store/store.ts';
import { SimulatedMachine } from '../../../support/simulated/simulated-machine.ts';
import { simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedStore } from '../../../support/simulated/simulated-store.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';

/** What is done to `f/x.md`, the note of which a cell of the table is. */
export const DEEDS = ['edit', 'delete', 'rename', 'case', 'swap', 'folder', 'file for folder', 'rename and edit'] as const;
export type Deed = (typeof DEEDS)[number];

/** By whom, and whether the machine follows meanwhile: what a tool writes is decided in the store, and it cannot without it. */
export const WAYS = ['tool', 'person online', 'person offline'] as const;
export type Way = (typeof WAYS)[number];

export interface Side {
  readonly deed: Deed;
  readonly way: Way;
}

/** What a cell came to: the files of all machines, and what should not be. */
export interface Joined {
  readonly files: Readonly<Record<string, string>>;
  readonly faults: readonly string[];
}

const LINES = ['one', 'two', 'three', 'four', 'five'];
const textOf = (name: string, hasId: boolean): string =>
  `${hasId ? `---\nid: ${name}\n---\n` : ''}${name} begins\n\n${LINES.map((line) => `${line} of ${name}\n\n`).join('')}${name} ends\n`;

/** The names that files have after a deed; those that are not named keep theirs. */
function namesAfter(deed: Deed, who: string): Readonly<Record<string, string | null>> {
  switch (deed) {
    case 'edit':
      return {};
    case 'delete':
      return { x: null };
    case 'rename':
    case 'rename and edit':
      return { x: `f/${who}.md` };
    case 'case':
      return { x: 'f/X.md' };
    case 'swap':
      return { x: 'f/y.md', y: 'f/x.md' };
    case 'folder':
      return { x: `${who}/x.md`, y: `${who}/y.md` };
    case 'file for folder':
      return { x: 'f', y: 'y.md' };
  }
}

const isEditing = (deed: Deed): boolean => deed === 'edit' || deed === 'rename and edit';

/** Anna at the beginning, Ben at the end: what both did can be merged. */
const edited = (text: string, who: string): string =>
  who === 'anna' ? text.replace('x begins\n', 'x begins\nanna was here\n') : text.replace('x ends\n', 'x ends\nben was here\n');

/** Runs one cell: Anna's deed is in the store first, and Ben has not heard of it when he does his. */
export function join(anna: Side, ben: Side, { hasId, seed = 1 }: { readonly hasId: boolean; readonly seed?: number }): Promise<Joined> {
  return inSimulatedTime(async (time) => {
    const store = simulatedStore();
    const run = { seed, time, store, note: () => undefined };
    const start = { 'f/x.md': textOf('x', hasId), 'f/y.md': textOf('y', hasId), 'z.md': textOf('z', hasId) };
    const a = new SimulatedMachine('anna', run, simulatedDisk(start));
    const b = new SimulatedMachine('ben', run, simulatedDisk({}));
    for (const machine of [a, b]) {
      await machine.start();
      await machine.shared.sync();
      await time.pause(10_000);
      await machine.shared.sync();
    }
    const isHere = async (machine: SimulatedMachine, { deed, way }: Side): Promise<boolean> => {
      if (way === 'tool') return byTool(machine, deed);
      if (way === 'person offline') await machine.shared.close();
      byHand(machine, deed, hasId);
      if (way === 'person offline') {
        machine.disk = machine.disk.afterKill();
        machine.kills += 1;
        await machine.start();
      } else machine.shared.touched(null);
      return true;
    };
    // Ben's hands were faster than the store; his tools are not.
    const isFirst = ben.way !== 'tool' && (await isHere(b, ben));
    const isAnnas = await isHere(a, anna);
    await a.shared.sync();
    const isBens = isFirst || (await isHere(b, ben));
    for (let round = 0; round < 4; round += 1) {
      for (const machine of [b, a]) {
        await time.pause(3_000);
        machine.shared.touched(null);
        await machine.shared.sync();
      }
    }
    const files = a.disk.visible();
    return { files, faults: faultsOf(files, b.disk.visible(), { anna: isAnnas ? anna : null, ben: isBens ? ben : null }) };
  });
}

/** What should not be. */
function faultsOf(
  files: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>>,
  done: { readonly anna: Side | null; readonly ben: Side | null },
): readonly string[] {
  const found: string[] = [];
  if (JSON.stringify(sorted(files)) !== JSON.stringify(sorted(others)))
    found.push(`they differ: ${JSON.stringify(Object.keys(sorted(files)))} ${JSON.stringify(Object.keys(sorted(others)))}`);
  // What is gone when a folder is opened was deleted by nobody (P-14). A tool is of what it sees, which Anna may have deleted.
  const sides = [done.anna, done.ben]
    .filter((side) => side !== null)
    .filter(({ deed, way }) => deed !== 'delete' || way !== 'person offline');
  const isByTool = done.ben?.way === 'tool' && sides.includes(done.ben) && [sides[0], done.ben].some((side) => side?.deed === 'delete');
  const isGone = isByTool || (sides.length > 0 && sides.every(({ deed }) => deed === 'delete'));
  for (const name of ['x', 'y', 'z']) {
    const having = Object.entries(files).filter(([, text]) => text.includes(`three of ${name}\n`));
    const wanted = name === 'x' && isGone ? 0 : 1;
    if (having.length !== wanted) found.push(`${having.length} files are ${name}: ${having.map(([path]) => path).join(', ')}`);
    const [path, text = ''] = having[0] ?? [];
    if (path?.includes('conflict') === true) found.push(`${name} is a copy: ${path}`);
    if (name === 'x' && path !== undefined) {
      for (const [who, side] of Object.entries(done))
        if (side !== null && isEditing(side.deed) && !text.includes(`${who} was here`)) found.push(`what ${who} wrote is missing`);
    }
    // The name is one that somebody gave it, and no other.
    const given = Object.entries(done)
      .flatMap(([who, side]) => (side === null ? [] : [namesAfter(side.deed, who)[name]]))
      .filter((to) => typeof to === 'string');
    const isTaken = given.some((to) => Object.keys(files).some((other) => other !== path && foldKey(other) === foldKey(to)));
    const names = given.length > 0 && !isTaken ? given : [...given, name === 'z' ? 'z.md' : `f/${name}.md`];
    if (path !== undefined && !names.includes(path)) found.push(`${name} is called ${path} and not ${names.join(' or ')}`);
  }
  if (Object.keys(files).length > 3) found.push(`too many files: ${Object.keys(files).join(', ')}`);
  return found;
}

const sorted = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1)));

/** Where the files are on a disk, by what is in them. */
function placesOn(machine: SimulatedMachine): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [path, text] of Object.entries(machine.disk.visible()))
    for (const name of ['x', 'y', 'z']) if (text.includes(`three of ${name}\n`)) found.set(name, path);
  return found;
}

/** An editor that saves by renaming leaves no sign of what the file was but the id in it. */
function byHand(machine: SimulatedMachine, deed: Deed, hasId: boolean): void {
  const { disk } = machine;
  const places = placesOn(machine);
  const target = namesAfter(deed, machine.name);
  const x = places.get('x') ?? '';
  if (isEditing(deed)) disk.save(x, edited(disk.visible()[x] ?? '', machine.name), hasId ? 'rename' : 'in-place');
  for (const [name, to] of Object.entries(target)) if (to === null) disk.remove(places.get(name) ?? '');
  const moved = Object.entries(target).filter((entry): entry is [string, string] => entry[1] !== null);
  for (const [name] of moved) disk.move(places.get(name) ?? '', `.moving-${name}`);
  if (deed === 'folder' || deed === 'file for folder') disk.remove('f');
  for (const [name, to] of moved) disk.move(`.moving-${name}`, to);
}

/** False where the tool was refused. */
async function byTool(machine: SimulatedMachine, deed: Deed): Promise<boolean> {
  const target = namesAfter(deed, machine.name);
  const quiet = { events: [], describe: () => [] };
  let isAny = false;
  try {
    await machine.shared.transact({ operation: 'test', agent: machine.name }, async (now) => {
      const changes: StoreChange[] = [];
      for (const [name, path] of placesOn(machine)) {
        const to = target[name];
        const isEdited = name === 'x' && isEditing(deed);
        if (to === undefined && !isEdited) continue;
        const of = await now.read(path);
        if (of === null) continue;
        const bytes = isEdited ? Buffer.from(edited(of.bytes.toString(), machine.name)) : null;
        if (to === null) changes.push({ kind: 'remove', of, to: 'trash', ...quiet });
        else if (to !== undefined && to !== path)
          changes.push({ kind: 'move', of, to, bytes, changes: null, isCommutative: false, ...quiet });
        else if (bytes !== null) changes.push({ kind: 'replace', of, bytes, changes: null, isCommutative: false, ...quiet });
      }
      isAny = changes.length > 0;
      return { changes, emptied: ['f'] };
    });
    return isAny;
  } catch (error) {
    if (!(error instanceof RouxError)) throw error;
    return false;
  }
}
