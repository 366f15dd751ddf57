import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomOf } from '../../support/random.ts';
import { PROJECT } from './donor.ts';
import type { Donor } from './donor.ts';
import { InTheWay, putFile } from './ground.ts';
import type { Ground, Plant } from './ground.ts';
import { filePlants } from './plants/files.ts';
import { graphPlants } from './plants/graphs.ts';
import { historyPlants } from './plants/history.ts';
import { homePlants } from './plants/home.ts';
import { journalPlants } from './plants/journal.ts';
import { machinePlants } from './plants/machine.ts';
import { notePlants } from './plants/notes.ts';
import { pastPlants } from './plants/past.ts';
import { settingPlants } from './plants/settings.ts';
import { slowPlants } from './plants/slow.ts';

/** A vault that somebody made to do harm, beside a folder that must stay as it is. */
export interface HostileVault extends Ground {
  readonly seed: number;
  /** What was done to it, for people: a failure names these. */
  readonly kinds: readonly string[];
  dispose(): void;
}

/** What a hostile vault is made from. */
export interface HostileOptions {
  readonly seed: number;
  readonly donor: Donor;
  /** 1 in a short run; costly plants come with larger ones. */
  readonly scale?: number;
  /** Only plants whose name begins with one of these; for finding out which one it was. */
  readonly only?: readonly string[];
}

/** Notes of the user that nothing names and nothing plants against: they stay as they are through everything. */
export const KEPT: Readonly<Record<string, string>> = {
  'kept/one.md': 'Kept one: plain text, no links.\n',
  'kept/two.md': '---\ntitle: Kept two\nmood: calm # a comment\n---\r\nCRLF stays.\r\n',
  'kept/sub/three.md': '# Kept three\n',
};

/** Notes of the user that plants are after, and that no call names. */
export const VICTIM_NOTES: Readonly<Record<string, string>> = {
  'victim/a.md': 'Victim a\n',
  'victim/b.md': '---\nid: victim-b\n---\nVictim b\n',
  'victim/sub/c.md': 'Victim c\n',
};

/** Notes of the user that calls name. */
const TARGETS: Readonly<Record<string, string>> = {
  'target/plain.md': '# Plain\n[[ada]] #garden\n\n## a\ntext ^block\n',
  'target/other.md': '---\naliases: [Other name]\ntags: [garden/beds]\n---\n[[plain#a]] [plain](plain.md) ![[plain]]\n',
  'target/third.md': '[[other]] [[nowhere]]\n',
  'target/photo.png': 'not really a photo',
};

/** These take rights away, or names that others plant below. */
const LATE: ReadonlySet<string> = new Set([
  'files: without rights',
  'files: known names that are none',
  'files: a folder that nobody may write to',
]);

/** Everything that can be planted, in the order in which it goes in: what replaces folders comes last. */
const PLANTS: readonly Plant[] = [
  ...notePlants,
  ...graphPlants,
  ...filePlants.filter(({ name }) => !LATE.has(name)),
  ...journalPlants,
  ...historyPlants,
  ...pastPlants,
  ...machinePlants,
  ...settingPlants,
  ...slowPlants,
  ...homePlants,
  ...filePlants.filter(({ name }) => LATE.has(name)),
];

/** Makes the vault of a seed. The same seed gives the same vault, but for the ids that the donor was given. */
export function makeHostileVault({ seed, donor, scale = 1, only }: HostileOptions): HostileVault {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'roux-hostile-')));
  const [vault, outside] = [join(place, 'vault'), join(place, 'outside')];
  const secret = `SECRET${seed}x${randomOf('secret', seed).below(1e9)}`;
  mkdirSync(vault);
  makeOutside(outside, secret);
  const groundFor = (name: string): Ground => ({ vault, outside, secret, donor, scale, random: randomOf(name, seed) });
  const ground = groundFor('notes');
  for (const [path, content] of donor.notes) putFile(ground, path, content);
  for (const [path, content] of Object.entries({ ...KEPT, ...VICTIM_NOTES, ...TARGETS })) putFile(ground, path, content);
  const kinds: string[] = [];
  for (const plant of choosePlants(seed, scale)) {
    if (only !== undefined && !only.some((name) => plant.name.startsWith(name))) continue;
    kinds.push(describe(plant, groundFor(plant.name)));
  }
  return { ...ground, seed, kinds, dispose: () => removeAll(place) };
}

function describe(plant: Plant, ground: Ground): string {
  try {
    const what = plant.plant(ground);
    return what === undefined ? plant.name : `${plant.name} (${what})`;
  } catch (error) {
    if (error instanceof InTheWay) return `${plant.name} (partly: ${error.message} is in the way)`;
    throw error;
  }
}

function choosePlants(seed: number, scale: number): readonly Plant[] {
  const random = randomOf('plants', seed);
  const offered = PLANTS.filter(({ isCostly }) => isCostly !== true || (scale > 1 && random.chance(0.15)));
  const wanted = random.pick([1, 3, 5, 8, 12]) / offered.length;
  const chosen = offered.filter(() => random.chance(wanted));
  return chosen.length > 0 ? chosen : [random.pick(offered)];
}

/** What no call may touch, and what of it may be told: nothing. */
function makeOutside(outside: string, secret: string): void {
  mkdirSync(join(outside, 'folder/sub'), { recursive: true });
  const event = {
    seq: 1,
    timestamp: '2026-01-01T00:00:00.000Z',
    node: 'target/plain.md',
    path: 'target/plain.md',
    agent: secret,
    action: 'updated',
    changes: [],
  };
  const files: Readonly<Record<string, string>> = {
    'private.md': `---\nid: private\ntitle: ${secret}\ntags: [${secret}]\n---\n${secret} [[target/plain]]\n`,
    'private.jsonl': `${JSON.stringify(event)}\n`,
    'private.canvas': JSON.stringify({ nodes: [{ id: 'a', type: 'text', text: secret }] }),
    'folder/a.md': `${secret}\n`,
    'folder/b.txt': `${secret}\n`,
    [`folder/name-${secret}.md`]: 'x\n',
    [`folder/sub/2026-01.jsonl`]: `${JSON.stringify(event)}\n`,
    'folder/1.free': secret,
    'folder/01hzzzzzzzzzzzzzzzzzzzzzzz.json': secret,
    'folder/01hzzzzzzzzzzzzzzzzzzzzzzz.0': secret,
    'folder/token': `${secret}${secret}\n`,
    // These have second names in some vaults, and are as public as those.
    'linked.md': 'Linked\n',
    'linked.jsonl': `${JSON.stringify({ ...event, agent: 'linked' })}\n`,
    'linked-keys.jsonl': '{"seq":1,"timestamp":"2026-01-01T00:00:00.000Z","key":"called-1","payload":"","result":null}\n',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(outside, path), text);
  mkdirSync(join(outside, PROJECT));
}

/** Removes a folder with all below it, also where rights were taken away, and deeper than Node's own removal goes. */
function removeAll(folder: string): void {
  giveRights(folder);
  spawnSync('rm', ['-rf', folder]);
}

/** Makes every folder below this one readable and writable for its owner. */
export function giveRights(folder: string | Buffer): void {
  chmodSync(folder, 0o755);
  for (const name of readdirSync(folder, { encoding: 'buffer' })) {
    const path = Buffer.concat([Buffer.from(folder), Buffer.from('/'), name]);
    if (lstatSync(path).isDirectory()) giveRights(path);
  }
}
