import { join } from 'node:path';
import { listCommands } from '../../../../src/faces/cli/command-list.ts';
import { usageOf } from '../../../../src/faces/cli/command.ts';
import type { Command } from '../../../../src/faces/cli/command.ts';
import type { CommandOption } from '../../../../src/faces/cli/options.ts';
import { countRequired } from '../../../../src/faces/cli/positionals.ts';
import type { Random } from '../../../support/random.ts';
import type { Ground } from '../ground.ts';
import type { Findings } from './findings.ts';
import type { Programs, Run } from './programs.ts';
import { openWords } from './words.ts';
import type { Words } from './words.ts';

/** Commands that keep running until they are stopped: no line of these. Servers are driven by themselves. */
const SERVERS = new Set(['mcp', 'serve', 'demo']);
/** These are asked for by name only: they may do what was planted, because a person says so, or do not end by themselves. */
const BY_WORD = new Set(['fix', 'watch']);

/** A command line with what stands on its input. */
export interface Line {
  readonly args: readonly string[];
  readonly stdin?: string;
}

/** Lines for so many commands, taken from all that there are. */
export async function chooseLines(ground: Ground, random: Random, count: number): Promise<readonly Line[]> {
  const commands = (await listCommands()).filter(({ name }) => !SERVERS.has(name));
  const words = openWords(ground, random);
  return Array.from({ length: count }, () => lineFor(ground, random.pick(commands), { random, words, isHostile: random.chance(0.5) }));
}

function lineFor(ground: Ground, command: Command, making: { random: Random; words: Words; isHostile: boolean }): Line {
  const { random, words, isHostile } = making;
  const say = (name: string): string => words.text(name, isHostile && random.chance(0.6)).replaceAll('\0', '');
  const names = [...usageOf(command).matchAll(/<([^>]+)>|\[([^\]]+)\]|%\w|install/g)].map((match) => match[1] ?? match[2] ?? match[0]);
  const own = names.filter((name) => name !== 'vault').slice(0, Math.max(countRequired(command), 1));
  const positionals = own.map((name) =>
    name === 'install' ? 'install' : name === 'memory.jsonl' ? '-' : name.startsWith('%') ? '/dev/null' : say(nameOf(name)),
  );
  const options = Object.entries(command.options ?? {}).flatMap(([name, option]) =>
    BY_WORD.has(name) ? [] : optionFor(name, option, making),
  );
  const args = [command.name, ...options, '--vault', ground.vault, ...(random.chance(0.3) ? ['--json'] : []), '--', ...positionals];
  return {
    args,
    stdin: random.pick([
      '',
      '# Outline\n- one\n  - two\n',
      '{"type":"entity","name":"x","entityType":"y","observations":["z"]}\n',
      say('content'),
    ]),
  };
}

/** What an argument of a command is called where tools know it. */
function nameOf(name: string): string {
  return ({ ref: 'id', words: 'query', 'path|batch': 'restore', kind: 'type' } as Readonly<Record<string, string>>)[name] ?? name;
}

function optionFor(
  name: string,
  option: CommandOption,
  { random, words, isHostile }: { random: Random; words: Words; isHostile: boolean },
): readonly string[] {
  if (random.chance(0.65)) return [];
  if (option.type === 'boolean') return [`--${name}`];
  if (option.type === 'number')
    return [
      `--${name}`,
      String(isHostile ? random.pick([-1, option.max, 1e21, 'x']) : option.min + random.below(Math.min(option.max - option.min, 30) + 1)),
    ];
  // What a person names as a file to write to is written to.
  if (name === 'output') return [`--${name}`, random.pick(['out.jsonl', '/dev/null'])];
  return [`--${name}=${words.text(name, isHostile).replaceAll('\0', '')}`];
}

/** Runs a line and judges what came of it. */
export async function driveLine(
  line: Line,
  { ground, programs, findings }: { ground: Ground; programs: Programs; findings: Findings },
): Promise<Run> {
  const run = await programs.run(line.args, {
    cwd: join(ground.vault, '../home'),
    ...(line.stdin === undefined ? {} : { stdin: line.stdin }),
  });
  const name = `roux ${line.args.map((arg) => JSON.stringify(arg.slice(0, 200))).join(' ')}`;
  if (run.isHung) findings.add(name, 'hangs');
  else if (run.status === null || run.status > 3)
    findings.add(name, `ended with ${run.status ?? 'a signal'}: ${run.stderr.slice(0, 1_000)}`);
  findings.judge(name, { text: run.stdout, isTerminal: !isNoteText(line.args), milliseconds: run.milliseconds });
  findings.judge(`${name}, beside the answer`, { text: run.stderr, isTerminal: true, milliseconds: 0 });
  return run;
}

/** The text of a note, a difference or lines by a template go into a pipe byte for byte; on a terminal they are made visible (`terminal.test.ts`). */
function isNoteText([command, ...options]: readonly string[]): boolean {
  const isText = command === 'get' || options.some((option) => option === '--dry-run' || option.startsWith('--template='));
  return !options.includes('--json') && isText;
}
