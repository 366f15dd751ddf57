import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import buildDist from '../../support/program/build-dist.ts';
import { randomOf } from '../../support/random.ts';
import { KEPT, VICTIM_NOTES, giveRights, makeHostileVault } from './vault.ts';
import type { HostileVault } from './vault.ts';
import { makeDonor } from './donor.ts';
import type { Donor } from './donor.ts';
import { chooseLines, driveLine } from './drive/commands.ts';
import { openFindings } from './drive/findings.ts';
import type { Finding, Findings } from './drive/findings.ts';
import { driveHttp } from './drive/http.ts';
import { canDropRights, openPrograms } from './drive/programs.ts';
import type { Programs } from './drive/programs.ts';
import { driveServer } from './drive/tools.ts';
import { findText } from './outside.ts';

/** What came of driving everything over one hostile vault. */
export interface Verdict {
  readonly seed: number;
  readonly kinds: readonly string[];
  readonly calls: number;
  readonly milliseconds: number;
  readonly slowest: string;
  /** What is wrong. */
  readonly findings: readonly Finding[];
}

/** How a vault is made and driven. */
export interface DriveOptions {
  readonly seed: number;
  readonly donor: Donor;
  readonly scale: number;
  /** How many command lines are tried. */
  readonly lines: number;
  readonly only?: readonly string[];
}

/** Makes the vault of a seed, drives every tool and some commands over it, and says what is wrong. */
export async function driveVault(options: DriveOptions): Promise<Verdict> {
  const started = performance.now();
  const ground = makeHostileVault(options);
  try {
    const home = join(ground.vault, '../home');
    mkdirSync(home);
    const random = randomOf('run', options.seed);
    const isUnprivileged = random.chance(0.5) && canDropRights();
    const programs = openPrograms({ place: join(ground.vault, '..'), home, isUnprivileged });
    const findings = openFindings(ground);
    const kinds = [...ground.kinds, ...(isUnprivileged ? ['run: by a user without rights'] : [])];
    await drive({ ground, programs, findings, seed: options.seed, lines: options.lines });
    return {
      seed: options.seed,
      kinds,
      calls: findings.calls,
      milliseconds: Math.round(performance.now() - started),
      slowest: findings.slowest,
      findings: findings.list,
    };
  } finally {
    ground.dispose();
  }
}

interface Drive {
  readonly ground: HostileVault;
  readonly programs: Programs;
  readonly findings: Findings;
  readonly seed: number;
  readonly lines: number;
}

async function drive({ ground, programs, findings, seed, lines }: Drive): Promise<void> {
  const random = randomOf('lines', seed);
  const line = (args: readonly string[]) => driveLine({ args: [...args, '--vault', ground.vault] }, { ground, programs, findings });
  const first = await line(['doctor']);
  // A configuration that does not hold stops every command, and says so; a user removes it then.
  if (first.isHung || /\.rouxrc\.json|toolset|no tool/i.test(first.stderr)) removeSettings(ground);
  if (random.chance(0.25)) await driveServer({ ground, findings, rounds: 1 }, programs, seed, ['--toolsets', 'all', '--read-only']);
  const chosen = await chooseLines(ground, random, lines);
  const half = Math.floor(lines / 2);
  for (const each of chosen.slice(0, half)) await driveLine(each, { ground, programs, findings });
  await driveServer({ ground, findings, rounds: 2 }, programs, seed, ['--toolsets', 'all']);
  for (const each of chosen.slice(half)) await driveLine(each, { ground, programs, findings });
  if (random.chance(0.3)) await driveHttp({ ground, findings, rounds: 1 }, programs, seed);
  mustBeAsBefore(ground, findings, { ...KEPT, ...VICTIM_NOTES });

  // From here on a person says that what was planted is to be done.
  await line(['doctor', '--fix', '--dry-run']);
  await line(['doctor', '--fix']);
  removeSettings(ground);
  if (lstatSync(ground.vault).mode % 0o1000 !== 0o755) chmodSync(ground.vault, 0o755);
  await mustBeUsable(ground, findings, line);
  mustBeAsBefore(ground, findings, KEPT);
  giveRights(ground.vault);
  for (const path of findText(ground.vault, ground.secret)) findings.add('at the end', `what is private stands in ${path}`);
}

function removeSettings(ground: HostileVault): void {
  rmSync(join(ground.vault, '.rouxrc.json'), { recursive: true, force: true });
}

async function mustBeUsable(
  ground: HostileVault,
  findings: Findings,
  line: (args: readonly string[]) => ReturnType<typeof driveLine>,
): Promise<void> {
  const title = `Fresh ${ground.seed}`;
  const made = await line(['create', title, '--content', 'It works.', '--directory', 'fresh']);
  const read = await line(['get', title]);
  if (made.status !== 0 || !read.stdout.includes('It works.'))
    findings.add('at the end', `a note cannot be made: ${made.stderr} ${read.stderr}`);
}

function mustBeAsBefore(ground: HostileVault, findings: Findings, notes: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(notes)) {
    let now: string;
    try {
      now = readFileSync(join(ground.vault, path), 'utf8');
    } catch (error) {
      now = String(error);
    }
    if (now !== text) findings.add('at the end', `${path} is not as it was: ${JSON.stringify(now.slice(0, 300))}`);
  }
}

/** `npx tsx test/trust/hostile/run.ts --minutes 60 --seed 1`: many vaults, one line each; repeats one with `--only SEED`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      vaults: { type: 'string' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      kind: { type: 'string', multiple: true },
      scale: { type: 'string', default: '8' },
      lines: { type: 'string', default: '10' },
    },
  });
  buildDist();
  const donor = await makeDonor();
  const end = performance.now() + Number(values.minutes) * 60_000;
  const first = Number(values.only ?? values.seed);
  const most = values.only === undefined ? Number(values.vaults ?? Infinity) : 1;
  let [vaults, failed, calls] = [0, 0, 0];
  try {
    for (let seed = first; vaults < most && (values.vaults !== undefined || performance.now() < end); seed++, vaults++) {
      const verdict = await driveVault({
        seed,
        donor,
        scale: Number(values.scale),
        lines: Number(values.lines),
        ...(values.kind === undefined ? {} : { only: values.kind }),
      });
      calls += verdict.calls;
      if (verdict.findings.length > 0) failed += 1;
      print(verdict, values.only !== undefined);
    }
  } finally {
    donor.dispose();
  }
  console.log(`${vaults} vaults, ${calls} calls, ${failed} vaults with findings`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function print({ seed, kinds, calls, milliseconds, slowest, findings }: Verdict, isWhole: boolean): void {
  console.log(
    `${findings.length === 0 ? 'ok  ' : 'FAIL'} seed ${seed}: ${calls} calls in ${milliseconds} ms (${slowest}) over ${kinds.map((kind) => kind.replace(/ \(.*/s, '')).join(', ')}`,
  );
  if (findings.length === 0 && !isWhole) return;
  for (const kind of kinds) console.log(`  kind ${JSON.stringify(kind).slice(1, -1)}`);
  for (const { call, what } of findings) console.log(`  !! ${call.slice(0, 600)}\n     ${what.slice(0, 1_500)}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
