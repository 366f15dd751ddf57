import { listAll } from '../../../ops/notes/read/list-nodes.ts';
import type { AnswerOf, ArgumentsOf } from '../../../ops/operation.ts';
import { didYouMean } from '../../../suggest.ts';
import { defineCommand, defineOptions, DONE, FINDINGS, UsageError, WATCH_OPTION } from '../command.ts';
import type { CommandContext, OptionValues, Status } from '../command.ts';
import { showWarnings } from '../show.ts';
import { readTemplate } from './row-template.ts';
import type { RowTemplate } from './row-template.ts';
import { FORMATS, printTable, toCsv, toMarkdown } from './row-formats.ts';
import type { Format, Grid } from './row-formats.ts';

const OPTIONS = defineOptions({
  where: { type: 'string', short: 'w', value: 'EXPR', help: 'only those for which it holds: \'status == "open" && due < now()\'' },
  sort: { type: 'string', short: 's', value: 'LIST', help: 'by what: due,title or "due desc"' },
  fields: { type: 'string', short: 'f', value: 'LIST', help: 'what to show of each: status,file.mtime' },
  'group-by': { type: 'string', value: 'EXPR', help: 'in groups of the same value' },
  path: { type: 'string', value: 'FOLDER', help: 'only notes below this folder', completes: 'place' },
  tag: { type: 'string', short: 't', value: 'TAG', help: 'only notes with this tag', completes: 'tag' },
  context: { type: 'string', value: 'REF', help: 'the file that `this` stands for', completes: 'note' },
  format: { type: 'string', value: 'FORMAT', help: 'table, json, csv or md (table)', completes: FORMATS },
  template: { type: 'string', value: 'TEXT', help: "a line for each instead: '{{title}} ({{path}}) {{properties.rating}}'" },
  limit: { type: 'number', short: 'n', min: 1, max: 1_000_000, help: 'how many at most' },
  offset: { type: 'number', min: 0, max: 1_000_000, help: 'leave out so many from the front' },
  ...WATCH_OPTION,
});

const DETAILS = [
  'Expressions are those of Obsidian Bases: properties by their names, file.name, file.mtime, file.hasTag("x"), dates with durations (now() - "7d"), == != < > && || !, and their functions.',
  'A template knows {{title}}, {{id}}, {{path}}, {{name}}, {{folder}}, {{tags}}, {{type}}, {{created}}, {{modified}}, {{size}}, {{file.…}} and {{properties.…}}, and \\n and \\t.',
];

/** `roux list`: notes by their properties. */
export const list = defineCommand({
  name: 'list',
  summary: 'notes by their properties, as a table, JSON, CSV or Markdown',
  usage: '',
  details: DETAILS,
  group: 'read',
  arity: 0,
  options: { ...OPTIONS, type: { type: 'string', value: 'TYPE', help: 'only notes of this type', completes: 'type' } },
  run: (context) => showRows(context, { type: context.options.type }),
});

/** `roux base`: the rows of a view of a base. */
export const base = defineCommand({
  name: 'base',
  summary: 'the rows of a .base file, of its first view or the one that is named',
  usage: '<file> [view]',
  details: ['What is given besides goes on top of the view: its rows are narrowed, sorted and shown otherwise.', ...DETAILS],
  group: 'read',
  arity: 1,
  isVariadic: true,
  completes: ['base', 'any'],
  options: OPTIONS,
  run(context) {
    const [file, ...words] = context.args;
    return showRows(context, { base: file, ...(words.length === 0 ? {} : { view: words.join(' ') }) });
  },
});

type Rows = AnswerOf<typeof listAll>;
type Query = ArgumentsOf<(typeof listAll)['input']>;

async function showRows(context: CommandContext<typeof OPTIONS>, about: Pick<Query, 'base' | 'view' | 'type'>): Promise<Status> {
  const { options } = context;
  const template = chooseTemplate(context);
  const format = context.isJson ? 'json' : template === null ? readFormat(options.format) : 'template';
  const fields = template === null || template.fields.length === 0 ? {} : { fields: [...template.fields] };
  const { output: rows, warnings } = await context.run(listAll, { ...about, ...queryOf(options), ...fields });
  showWarnings(context, warnings);
  const grid = toGrid(rows, { isBase: about.base !== undefined && options.fields === undefined });
  if (format === 'json') context.printJson(rows);
  else if (format === 'csv') context.printText(toCsv(grid));
  else if (format === 'md') context.printText(toMarkdown(grid));
  else if (template !== null) context.printText(rows.nodes.map((row) => `${template.fill(row)}\n`).join(''));
  else if (rows.nodes.length > 0) printTable(grid, context);
  if (rows.nodes.length === 0 && (format === 'table' || format === 'template')) context.note('Nothing found.');
  for (const [name, value] of format === 'table' ? Object.entries(rows.summaries ?? {}) : [])
    context.print(context.paint.dim(`${rows.titles?.[name] ?? name}: ${JSON.stringify(value)}`));
  return rows.nodes.length === 0 ? FINDINGS : DONE;
}

/** Returns the parsed `--template`, or null if none was given. Throws if it is combined with another output format. */
function chooseTemplate({ isJson, options }: CommandContext<typeof OPTIONS>): RowTemplate | null {
  const { template, format, fields } = options;
  if (template === undefined) return null;
  const other = isJson ? '--json' : format !== undefined ? '--format' : fields !== undefined ? '--fields' : null;
  if (other === null) return readTemplate(template);
  throw new UsageError(`--template and ${other} both say how rows are printed; leave one out`);
}

function readFormat(name = 'table'): Format {
  const format = FORMATS.find((each) => each === name);
  if (format !== undefined) return format;
  throw new UsageError(`--format has to be ${FORMATS.join(', ')}, not "${name}"${didYouMean(name, FORMATS).replace(/[.?]$/, '')}`);
}

function queryOf({ where, sort, fields, path, tag, context, limit, offset, ...options }: OptionValues<typeof OPTIONS>): Query {
  const groupBy = options['group-by'];
  return {
    ...(where === undefined ? {} : { where }),
    ...(sort === undefined ? {} : { sort }),
    ...(fields === undefined ? {} : { fields: [fields] }),
    ...(groupBy === undefined ? {} : { group_by: groupBy }),
    ...(path === undefined ? {} : { path }),
    ...(tag === undefined ? {} : { tag }),
    ...(context === undefined ? {} : { context }),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  };
}

/** Converts rows to a grid: title and fields, or only the fields if a base's view selects them, or title and id if there are no fields. */
function toGrid({ nodes, titles = {} }: Rows, { isBase }: { readonly isBase: boolean }): Grid {
  const names = [...new Set(nodes.flatMap(({ fields = {} }) => Object.keys(fields)))];
  const own = isBase && names.length > 0 ? [] : names.length > 0 ? ['title'] : ['title', 'id'];
  return {
    columns: [...own, ...names.map((name) => (Object.hasOwn(titles, name) ? (titles[name] ?? name) : name))],
    rows: nodes.map((node) => ({
      ...('group' in node ? { group: node.group } : {}),
      cells: [
        ...own.map((name) => (name === 'id' ? node.id : node.title)),
        ...names.map((name) => (node.fields && Object.hasOwn(node.fields, name) ? node.fields[name] : null)),
      ],
    })),
  };
}
