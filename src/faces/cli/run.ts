import { parseArgs } from 'node:util';
import { parseConfig, settingLayer } from '../../config.ts';
import type { Config, ConfigLayer } from '../../config.ts';
import { errorMessage, RouxError } from '../../errors.ts';
import { didYouMean } from '../../suggest.ts';
import { visible, visibleJson } from '../../terminal-text.ts';
import { commandNames, findCommand, listCommands } from './command-list.ts';
import { BAD_USAGE, DONE, CANCELLED } from './command.ts';
import type { Command, CommandContext, CommandProgram, Status } from './command.ts';
import { findVault, findVaults, vaultInEnvironment } from './find-vault.ts';
import { commandHelp, programHelp } from './help.ts';
import type { Layout } from './help.ts';
import { COMMON_OPTIONS, readOption, toParseOptions, UsageError } from './options.ts';
import type { CommandOptions, OptionValues } from './options.ts';
import type { Host } from '../host.ts';
import { userName } from './program.ts';
import type { Output, Program } from './program.ts';
import { createProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import { formatArgument } from './show.ts';
import { printError, report } from './report.ts';
import { createTerminal } from './terminal.ts';
import type { Terminal } from './terminal.ts';
import { countRequired, readPositionals } from './positionals.ts';

/** Runs a command line and returns its exit status. */
export async function runProgram(program: Program): Promise<Status> {
  const [name, ...rest] = program.argv;
  const terminal = createTerminal(program.stdout, program.env);
  const { show } = terminal;
  const layout = layoutOf(program, terminal);
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const about = await findCommand(rest[0] ?? '');
    program.stdout.write(`${show(about === null ? programHelp(await listCommands(), layout) : commandHelp(about, layout))}\n`);
    return DONE;
  }
  if (name === '--version' || name === '-v') {
    program.stdout.write(`${program.version}\n`);
    return DONE;
  }
  if (name === 'complete') {
    const { completionLines } = await import('./complete/complete.ts');
    program.stdout.write(await completionLines(program, rest));
    return DONE;
  }
  const command = await findCommand(name);
  if (command === null) {
    const message = `there is no command "${formatArgument(name)}"${didYouMean(name, commandNames)} "roux help" lists them.`;
    if (rest.includes('--json')) printError(program, { code: 'INVALID_ARGUMENT', message });
    program.stderr.write(`roux: ${message}\n`);
    return BAD_USAGE;
  }
  try {
    return await runCommand(program, command, rest, terminal);
  } catch (error) {
    return report(program, command, error, rest.includes('--json'));
  }
}

async function runCommand(program: Program, command: Command, argv: readonly string[], terminal: Terminal): Promise<Status> {
  const { options, positionals, vaults } = parse(command, argv);
  if (options['help'] === true) {
    program.stdout.write(`${terminal.show(commandHelp(command, layoutOf(program, terminal)))}\n`);
    return DONE;
  }
  const isPicking = command.canPick === true && positionals.length === 0 && program.stdin.isTTY === true && program.stdout.isTTY === true;
  const words = isPicking ? { args: [], vaults: [] } : readPositionals(command, positionals, program.cwd);
  const { args } = words;
  const named = [...words.vaults, ...vaults];
  if (named.length > 1 && command.takesVaults !== true)
    throw new UsageError(`${command.name} works on one vault, but ${named.length} are named; run it once for each`);
  const query = { named: named.length === 0 ? [vaultInEnvironment(program.env)] : named, cwd: program.cwd };
  const [vaultRoot, ...otherRoots] =
    command.isStandalone === true
      ? [findVault({ ...query, named: query.named[0] })]
      : findVaults({ ...query, mayBeGone: program.client?.wasServed === true });
  const flags = toLayers(command, options);
  const mayBeOthers = options['allow-other-owner'] === true;
  const config = command.isStandalone === true ? parseConfig([]) : program.loadConfig({ vaultRoot, flags, mayBeOthers });
  const isWatching = (options as OptionValues)['watch'] === true;
  const host = program.openHost({
    root: vaultRoot,
    config,
    isFollowing: command.isFollowing ?? isWatching,
    // With --watch nothing is written either, even if files are renamed outside of roux in the meantime.
    isRehearsing: isWatching || (options as OptionValues)['dry-run'] === true || command.isReadOnly?.(options, args) === true,
    flags,
  });
  const others = openOthers(program, otherRoots, { flags, mayBeOthers });
  const given = { host, others, namedVault: named[0], args, options, flags };
  try {
    if (isWatching) return await runWatching(program, terminal, { command, given });
    const picked = isPicking ? await pickArguments(command, createContext(program, terminal, given)) : args;
    if (picked === null) return CANCELLED;
    const chosen = { ...given, args: picked };
    const isPaged = command.isPaged?.(args) === true && program.stdout.isTTY === true && options['json'] !== true;
    if (isPaged) return await runPaged(program, terminal, { command, given: chosen });
    return await command.run(createContext(program, terminal, chosen));
  } finally {
    await Promise.all([host, ...others].map((each) => each.close()));
  }
}

/** Opens the vaults that are served with the first one. */
function openOthers(
  program: Program,
  roots: readonly string[],
  given: Omit<Parameters<Program['loadConfig']>[0], 'vaultRoot'>,
): readonly Host[] {
  const { flags } = given;
  const loaded = roots.map((root) => ({ root, config: loadNamed(program, { ...given, vaultRoot: root }) }));
  return loaded.map((vault) => program.openHost({ ...vault, flags, isFollowing: true, isRehearsing: false }));
}

/** Loads the settings of one of several vaults; an error says of which. */
function loadNamed(program: Program, query: Parameters<Program['loadConfig']>[0]): Config {
  try {
    return program.loadConfig(query);
  } catch (error) {
    if (!(error instanceof RouxError)) throw error;
    throw new RouxError(error.code, `${formatArgument(query.vaultRoot)}: ${error.message}`, error.details, { cause: error });
  }
}

type Given = Pick<CommandContext, 'host' | 'others' | 'args' | 'options'> &
  Pick<CommandProgram, 'namedVault'> & { readonly flags: readonly ConfigLayer[] };

/** Runs a command each time the vault changes, with a new context each time. */
async function runWatching(program: Program, terminal: Terminal, { command, given }: { command: Command; given: Given }): Promise<Status> {
  const { stdout, stderr } = program;
  const { watch } = await import('./watch.ts');
  const session = given.host.openSession({ id: 'watch', agent: () => 'cli', isPerson: true, person: userName });
  await progressOf(program, given.options).during(given.host, given.host.ready());
  return watch({
    stdout,
    stderr,
    follow: (listener) => session.follow(listener),
    async run() {
      const [out, err]: [string[], string[]] = [[], []];
      const here = { ...sizeOf(stdout), write: (text: string) => out.push(text) };
      await command.run(createContext({ ...program, stdout: here, stderr: { write: (text) => err.push(text) } }, terminal, given));
      return { out: out.join(''), err: err.join('') };
    },
  });
}

/** Runs a command, and shows what it prints in the user's pager if the terminal has fewer lines. */
async function runPaged(program: Program, terminal: Terminal, { command, given }: { command: Command; given: Given }): Promise<Status> {
  const { stdout } = program;
  const printed: string[] = [];
  const collecting = { ...sizeOf(stdout), write: (text: string) => printed.push(text) };
  try {
    return await command.run(createContext({ ...program, stdout: collecting }, terminal, given));
  } finally {
    const text = printed.join('');
    const { showInPager } = await import('./programs/pager.ts');
    const fits = text.split('\n').length <= (stdout.rows ?? Infinity);
    if (fits || !(await showInPager(text, { vault: given.host.root }))) stdout.write(text);
  }
}

/** Picks arguments; loaded only where somebody chooses. */
async function pickArguments(command: Command, context: CommandContext): Promise<readonly string[] | null> {
  const picking = await import('./pick/pick.ts');
  return picking.pickArguments(command, context);
}

/** Copies the size of a stream. Spreading the stream would not, since these are not its own properties. */
function sizeOf({ isTTY, columns }: Output): Pick<Output, 'isTTY' | 'columns'> {
  return { ...(isTTY === undefined ? {} : { isTTY }), ...(columns === undefined ? {} : { columns }) };
}

function parse(
  command: Command,
  argv: readonly string[],
): { options: OptionValues<typeof COMMON_OPTIONS>; positionals: readonly string[]; vaults: readonly string[] } {
  const options: CommandOptions = { ...command.options, ...COMMON_OPTIONS };
  const isLiteral = command.isLiteral === true && argv.length >= countRequired(command);
  const { values, positionals } = parseStrictly(isLiteral ? ['--', ...argv] : argv, options);
  const { vault = [], ...others } = values;
  return {
    options: Object.fromEntries(Object.entries(others).map(([name, value]) => [name, readOption(name, value, options[name])])),
    positionals,
    vaults: [vault].flat() as readonly string[],
  };
}

/** Marks a word that begins with a dash but is not an option. */
const NO_OPTION = '\u0000';

/**
 * Whether a word that begins with a dash is text: a list item (`- x`), since options contain no space, or the value of the option before
 * it.
 */
function isText(word: string, before: string | undefined, options: CommandOptions): boolean {
  if (/^-\s/.test(word)) return true;
  const takesText = options[longName(before ?? '', options)]?.type === 'string';
  const isOption = Object.entries(options).some(
    ([long, { short }]) => word.startsWith(`--${long}`) || (short !== undefined && word === `-${short}`),
  );
  return takesText && /^-[^-]/.test(word) && !isOption;
}

/** Returns the long name of an option given as `--name` or `-n`; otherwise ''. */
const longName = (word: string, options: CommandOptions): string =>
  Object.keys(options).find((name) => word === `--${name}` || word === `-${options[name]?.short ?? NO_OPTION}`) ?? '';

function parseStrictly(argv: readonly string[], options: CommandOptions) {
  const args = argv.map((word, at) => (isText(word, argv[at - 1], options) ? NO_OPTION + word : word));
  const bare = <T>(value: T): T | string => (typeof value === 'string' && value.startsWith(NO_OPTION) ? value.slice(1) : value);
  try {
    const { positionals, values } = parseArgs({ args, options: toParseOptions(options), allowPositionals: true, strict: true });
    const named = Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.map(bare) : bare(value)] as const);
    return { positionals: positionals.map(bare), values: Object.fromEntries(named) };
  } catch (error) {
    const message = errorMessage(error);
    const [, option] = /^Option '([^']+)' argument is ambiguous/.exec(message) ?? [];
    const text =
      option === undefined
        ? (message.split('. ')[0] ?? '')
        : `what follows ${option} begins with a dash; write --${longName(option, options)}='-…'`;
    throw new UsageError(text, { cause: error });
  }
}

function toLayers(command: Command, options: OptionValues): readonly ConfigLayer[] {
  return Object.entries(command.options ?? {}).flatMap(([name, { setting: key }]) => {
    const value = options[name];
    return key === undefined || value === undefined ? [] : [settingLayer({ source: `--${name}`, key, value })];
  });
}

function createContext(program: Program, { paint, show }: Terminal, { flags, namedVault, ...given }: Given): CommandContext {
  const { host } = given;
  const session = host.openSession({ id: 'cli', agent: () => 'cli', isPerson: true, person: userName });
  const progress = progressOf(program, given.options);
  const how = { isDryRun: given.options['dry-run'] === true, progress: progress.step };
  const isTerminal = program.stdout.isTTY === true;
  let ifVersion = textOf(given.options['if-version']);
  const mayBeOthers = given.options['allow-other-owner'] === true;
  return {
    ...given,
    run(operation, args) {
      // `--if-version` applies to the first write of a command only: that write itself changes the version.
      const version = operation.effect === 'read' ? undefined : ifVersion;
      if (version !== undefined) ifVersion = undefined;
      return progress.during(host, session.run(operation, version === undefined ? args : { ...args, if_version: version }, how));
    },
    isJson: given.options['json'] === true,
    print: (text) => void program.stdout.write(`${show(text)}\n`),
    printText: (text) => void program.stdout.write(isTerminal ? `${visible(text).trimEnd()}\n` : text),
    printJson: (value) => void program.stdout.write(`${visibleJson(value)}\n`),
    note: (text) => void program.stderr.write(`${show(text)}\n`),
    paint,
    columns: isTerminal ? (program.stdout.columns ?? null) : null,
    program: {
      file: program.file,
      cwd: program.cwd,
      namedVault,
      trusted: program.trusted,
      canAsk: program.stdin.isTTY === true && isTerminal,
      isStdinTerminal: program.stdin.isTTY === true,
      isStderrTerminal: program.stderr.isTTY === true,
      readInput: async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of program.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
        return Buffer.concat(chunks).toString('utf8');
      },
      waitFor: (work) => progress.during(host, work),
      withProgress: (work) => progress.track(work),
      ...(program.client === undefined ? {} : { client: program.client }),
      openFiles: (folder) => program.openFiles(folder),
      openTemporaryVault: (root, settings, { isFollowing } = { isFollowing: true }) => {
        const config = settings(() => program.loadConfig({ vaultRoot: root, flags: [] }));
        return program.openHost({ root, config, isFollowing, isRehearsing: false, isTemporary: true });
      },
      openSharing: () => program.openSharing(mayBeOthers),
      async openCopy(url, signal) {
        const sharing = await program.openSharing(mayBeOthers);
        const copy = await progress.track((step) => sharing.copy(url, step, signal));
        const config = program.loadConfig({ vaultRoot: copy.root, flags });
        return { copy, host: copy.open({ config, flags }) };
      },
    },
  };
}

function textOf(value: OptionValues[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function layoutOf({ stdout }: Program, { paint }: Terminal): Layout {
  return { paint, columns: stdout.isTTY === true ? (stdout.columns ?? null) : null };
}

/** Shows progress on a terminal, but not in between JSON that goes to the same terminal. */
function progressOf({ stdout, stderr }: Program, options: OptionValues): Progress {
  const isSeen = stderr.isTTY === true && !(options['json'] === true && stdout.isTTY === true);
  return createProgress(isSeen ? stderr : null);
}
