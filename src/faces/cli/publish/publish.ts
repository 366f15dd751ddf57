import { resolve } from 'node:path';
import { readFile } from '../../../ops/notes/files/read-file.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { publishNotes } from '../../../ops/notes/publish/publish-notes.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { checkOutFolder, replaceSite } from '../../web/site/out-folder.ts';
import { readSiteAssets } from '../../web/site/site-assets.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../options.ts';
import { count, showWarnings } from '../show.ts';

type Report = AnswerOf<typeof publishNotes>['report'];

/** Lines of each list that people are shown; `--json` has all. */
const MAX_SHOWN = 10;

/** `roux publish`: writes chosen notes as a static site. */
export const publish = defineCommand({
  name: 'publish',
  summary: 'write chosen notes as a static web site, with search and graph, and nothing of the others',
  usage: '[folder …] --out FOLDER',
  details: [
    'Folders and notes are named from the root of the vault on; * and ** are wildcards.',
    'Notes with the property publish: false are never published; --marked chooses those with publish: true.',
    'Of properties, title, aliases, tags and description are published, and those that --properties names.',
    'Pictures and other files are copied as they are, with what a camera wrote into them.',
  ],
  group: 'serve',
  isRepeated: true,
  positionals: [{ name: 'folder', completes: 'reference', isOptional: true }],
  isReadOnly: () => true,
  options: {
    out: {
      type: 'string',
      value: 'FOLDER',
      help: 'where the site is written: a new or empty folder, or that of an earlier run',
      completes: 'folder',
    },
    all: { type: 'boolean', help: 'every note, but for tasks, memories and facts' },
    marked: { type: 'boolean', help: 'also notes with the property publish: true' },
    except: { type: 'string', value: 'A,B', help: 'folders and notes to leave out', completes: 'reference' },
    properties: { type: 'string', value: 'A,B', help: 'more properties to publish' },
    title: { type: 'string', value: 'TITLE', help: 'the name of the site; default: the title of its first page' },
    home: { type: 'string', value: 'NOTE', help: 'the first page; default: index, README or Home', completes: 'note' },
    'base-url': { type: 'string', value: 'URL', help: 'where the site will be, for search engines and the page for unknown addresses' },
    'dry-run': { type: 'boolean', help: 'list what would be published and what would be missing, write nothing' },
  },
  async run(context) {
    const { options, args, host, program } = context;
    const isDryRun = options['dry-run'] === true;
    if (!isDryRun && options.out === undefined)
      throw new UsageError('publish needs --out, the folder for the site; --dry-run lists what it would have');
    const folder = options.out === undefined ? null : checkOutFolder(host.root, resolve(program.cwd, options.out));
    const assets = isDryRun ? null : readSiteAssets();
    const { output, warnings } = await context.run(publishNotes, {
      paths: args.map((path) => path.replace(/^(?:\.\/)+/, '')),
      except: listOf(options.except),
      properties: listOf(options.properties),
      all: options.all === true,
      marked: options.marked === true,
      home: options.home,
      title: options.title,
      base_url: options['base-url'],
      ...(assets === null ? {} : { assets: assets.names }),
    });
    const { report, site } = output;
    if (site !== null && folder !== null && assets !== null) {
      await replaceSite(folder, async (write) => {
        write('.nojekyll', '');
        const programs = [...assets.files, ...(site.hasDiagrams ? assets.diagramFiles() : [])];
        for (const [name, content] of programs) write(`assets/${name}`, content);
        for (const { file, text } of site.texts) write(file, text);
        for (const [path, file] of site.attachments) write(file, (await context.run(readFile, { path })).output.bytes);
      });
    }
    if (context.isJson) context.printJson({ ...report, ...(site === null ? {} : { out: folder?.path, title: site.title }) });
    else show(context, report, { out: site === null ? null : (folder?.path ?? null), title: site?.title ?? '' });
    showWarnings(context, warnings);
    return report.notes.length === 0 ? FINDINGS : DONE;
  },
});

function listOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function show(context: CommandContext, report: Report, { out, title }: { readonly out: string | null; readonly title: string }): void {
  const { print, note, paint } = context;
  if (report.notes.length === 0) note('No note would be published, so nothing is written.');
  else if (out === null)
    showList(
      context,
      `Would publish ${count(report.notes.length, 'note')}:`,
      report.notes.map(({ path }) => path),
      true,
    );
  else
    print(
      `${paint.bold(visibleLine(title))}: ${count(report.notes.length, 'note')} and ${count(report.attachments.length, 'file')} in ${visibleLine(out)}`,
    );
  if (out === null) showList(context, 'Bases and canvases:', report.pages, true);
  if (out === null) showList(context, 'Files:', report.attachments, true);
  if (report.properties.length > 0) print(`Properties: ${visibleLine(report.properties.join(', '))}`);
  if (report.properties_left.length > 0)
    print(paint.dim(`Not published: ${visibleLine(report.properties_left.map(({ key }) => key).join(', '))}`));
  const { unmarked, hidden, machine, linked } = report.notes_left;
  if (unmarked > 0) print(`${count(unmarked, 'note')} left out by publish: false`);
  if (hidden > 0) print(`${count(hidden, 'note')} left out because the settings hide them`);
  if (machine > 0) print(`${count(machine, 'note')} of tasks, memory and knowledge left out; name their folder to publish them`);
  if (linked > 0) print(`${count(linked, 'symbolic link')} left out, to notes that are not chosen`);
  const pairs = (list: readonly { readonly from: string; readonly to: string }[]): readonly string[] =>
    list.map(({ from, to }) => `${from} → ${to}`);
  showList(context, 'Links to notes that are not published, shown as text:', pairs(report.links_left), false);
  showList(context, 'Embedded notes that are not published, left out:', pairs(report.embeds_left), false);
  const files = report.attachments_left.map(({ from, path, reason }) => `${from} → ${path}: ${reason}`);
  showList(context, 'Files left out:', files, false);
  const problems = report.problems.map(({ path, message }) => `${path}: ${message}`);
  showList(context, 'Bases and canvases that cannot be shown:', problems, false);
}

function showList({ print, paint }: CommandContext, title: string, lines: readonly string[], isWhole: boolean): void {
  if (lines.length === 0) return;
  print(paint.bold(title));
  const shown = isWhole ? lines : lines.slice(0, MAX_SHOWN);
  for (const line of shown) print(`  ${visibleLine(line)}`);
  if (shown.length < lines.length) print(paint.dim(`  and ${lines.length - shown.length} more; --json lists them`));
}
