import { resolve } from 'node:path';
import { parseConfig } from '../../../../config.ts';
import { okfCheck } from '../../../../ops/care/okf/okf-check.ts';
import { okfExport } from '../../../../ops/care/okf/okf-export.ts';
import { okfFiles, okfImport } from '../../../../ops/care/okf/okf-import.ts';
import { okfIndex } from '../../../../ops/care/okf/okf-index.ts';
import { visibleLine } from '../../../../terminal-text.ts';
import { requireFolder } from '../../find-vault.ts';
import { defineCommand, DONE, FINDINGS } from '../../command.ts';
import type { CommandContext, Status } from '../../command.ts';
import { defineOptions, UsageError } from '../../options.ts';
import { count, showWarnings } from '../../show.ts';
import { refuseReadOnly } from '../setup-outcome.ts';
import { checkBundleOutside, checkNewFolder, fillNewFolder } from './new-folder.ts';
import { showExport, showFindings, showImport, showIndexes } from './show-okf.ts';
import { isRecord } from '../../../../is-record.ts';
import type { SetupFiles } from '../../../../ports.ts';

const CONFIG_FILE = '.rouxrc.json';

const OPTIONS = defineOptions({
  out: { type: 'string', value: 'FOLDER', help: 'export: where the bundle is written: a new or empty folder', completes: 'folder' },
  to: { type: 'string', value: 'FOLDER', help: 'import: the folder of the vault; default: its top' },
  type: { type: 'string', value: 'TYPE', help: 'export: the type of notes that have none; default: Note' },
  log: { type: 'boolean', help: 'index: also a log.md, from the history' },
  write: { type: 'boolean', help: 'do it; without this, import, export and index only tell what they would do' },
});

type Context = CommandContext<typeof OPTIONS>;

const ACTIONS: Readonly<Record<string, (context: Context, folder: string | undefined) => Promise<Status>>> = {
  check,
  index,
  export: exportBundle,
  import: importBundle,
};

/** `roux okf`: bundles of the Open Knowledge Format. */
export const okf = defineCommand({
  name: 'okf',
  summary: 'okf check, index, export, import: bundles of the Open Knowledge Format',
  usage: 'check|index|export|import [folder]',
  details: [
    'check: whether a bundle conforms, with the path and line of what does not. A folder may be anywhere; default: the bundles of the vault, or the vault as one.',
    'index: the index.md of every folder of a bundle of the vault. Only what is between the comments of roux is replaced; what you wrote stays.',
    'export: notes as a bundle: wikilinks become links from its top, attachments come along, and what it cannot say is told.',
    'import: every file of a bundle into the vault, byte for byte; no file is replaced.',
    'Exit status of check 0: it conforms, 1: it does not.',
  ],
  group: 'care',
  positionals: [
    { name: 'action', choices: Object.keys(ACTIONS) },
    { name: 'folder', completes: 'folder', isOptional: true },
  ],
  isReadOnly: ({ write }) => write !== true,
  options: OPTIONS,
  run: async (context) => (await ACTIONS[context.args[0] ?? '']?.(context, context.args[1])) ?? DONE,
});

/** Opens a folder as a bundle, which nothing is written to and nothing remembered of. */
async function withBundle<T>({ program }: Context, folder: string, use: (inside: CommandContext['run']) => Promise<T>): Promise<T> {
  requireFolder(folder);
  const config = parseConfig([{ source: 'roux okf', values: { readOnly: true, embeddings: 'none', okf: { bundles: ['.'] } } }]);
  const host = program.openTemporaryVault(folder, () => config, { isFollowing: false });
  try {
    const session = host.openSession({ id: 'cli', agent: () => 'cli' });
    return await use((operation, args) => program.waitFor(session.run(operation, args)));
  } finally {
    await host.close();
  }
}

async function check(context: Context, named: string | undefined): Promise<Status> {
  const report = named === undefined ? await checkVault(context) : await checkFolder(context, resolve(context.program.cwd, named));
  if (context.isJson) context.printJson(report);
  else showFindings(context, report, named ?? '');
  return report.conforms ? DONE : FINDINGS;
}

async function checkFolder(context: Context, folder: string) {
  return withBundle(context, folder, async (run) => (await run(okfCheck, { folder: '' })).output);
}

/** Checks the bundles of the vault; if it has none, the vault as if it were one. */
async function checkVault(context: Context) {
  try {
    return (await context.run(okfCheck, {})).output;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'INVALID_PARAMS')) throw error;
    return checkFolder(context, context.host.root);
  }
}

async function index(context: Context, folder: string | undefined): Promise<Status> {
  const { options } = context;
  const isWriting = options.write === true;
  if (isWriting) refuseReadOnly(context, 'okf index');
  const { output, warnings } = await context.run(okfIndex, { folder, log: options.log === true, write: isWriting });
  if (context.isJson) context.printJson({ ...output, written: isWriting });
  else showIndexes(context, output.files, isWriting);
  showWarnings(context, warnings);
  return DONE;
}

async function exportBundle(context: Context, folder: string | undefined): Promise<Status> {
  const { options, host, program } = context;
  const isWriting = options.write === true;
  if (isWriting && options.out === undefined) throw new UsageError('okf export --write needs --out, the folder for the bundle');
  const out = options.out === undefined ? null : checkNewFolder(host.root, resolve(program.cwd, options.out));
  const { output } = await context.run(okfExport, { folder, type: options.type });
  const { files, ...report } = output;
  if (isWriting && out !== null) fillNewFolder(out, files);
  const names = files.map(({ path }) => path);
  if (context.isJson) context.printJson({ ...report, files: names, written: isWriting, ...(out === null ? {} : { out }) });
  else showExport(context, { ...report, files: names }, isWriting ? out : null);
  return DONE;
}

async function importBundle(context: Context, bundle: string | undefined): Promise<Status> {
  const { options, host, program } = context;
  if (bundle === undefined) throw new UsageError('okf import needs the folder of the bundle');
  const isWriting = options.write === true;
  if (isWriting) refuseReadOnly(context, 'okf import');
  const from = resolve(program.cwd, bundle);
  checkBundleOutside(host.root, from);
  const read = await withBundle(context, from, async (run) => (await run(okfFiles, { folder: '' })).output);
  const { output: report } = await context.run(okfImport, {
    files: read.files.map(({ path, bytes }) => ({ path, base64: Buffer.from(bytes).toString('base64') })),
    folder: options.to ?? '',
    write: isWriting,
    declares: read.declares,
  });
  const name = report.folder;
  const unset = isWriting && !report.isKnown ? await declareBundle(await program.openFiles(host.root), name) : null;
  const left = [...read.left, ...report.left];
  if (context.isJson) context.printJson({ ...report, left, written: isWriting });
  else showImport(context, { ...report, left }, { isWriting, name });
  if (unset !== null) context.note(`Add "okf": {"bundles": [${JSON.stringify(visibleLine(name))}]} to .rouxrc.json: ${unset}.`);
  if (left.length > 0) context.note(`${count(left.length, 'file')} left out.`);
  return left.length === 0 ? DONE : FINDINGS;
}

/**
 * Adds a folder to the setting `okf.bundles` of a vault; `.` is the vault itself. Returns null, or why it was not added as a clause. All
 * other settings stay.
 */
async function declareBundle(files: SetupFiles, folder: string): Promise<string | null> {
  const seen = files.look(CONFIG_FILE);
  if (seen.kind === 'folder') return 'it is a folder';
  if (seen.kind === 'barred') return seen.reason;
  const text = seen.kind === 'file' ? Buffer.from(seen.bytes).toString('utf8') : '{}';
  let settings: unknown;
  try {
    settings = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return 'it is no JSON';
  }
  const okf = isRecord(settings) ? (settings['okf'] ?? {}) : null;
  const bundles: unknown = isRecord(okf) ? (okf['bundles'] ?? []) : null;
  if (!isRecord(settings) || !isRecord(okf) || !Array.isArray(bundles)) return 'its setting okf.bundles is no list';
  if (bundles.includes(folder)) return null;
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? 2;
  const next = { ...settings, okf: { ...okf, bundles: [...(bundles as unknown[]), folder] } };
  return files.write(CONFIG_FILE, { bytes: Buffer.from(`${JSON.stringify(next, null, indent)}\n`), seen });
}
