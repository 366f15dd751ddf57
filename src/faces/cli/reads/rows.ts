import type { z } from 'zod';
import { listAll } from '../../../ops/notes/read/list-nodes.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand, LIMIT, OFFSET, statusOfList } from '../operation-command.ts';
import { UsageError, WATCH_OPTION } from '../options.ts';
import { FORMATS, printTable, toCsv, toMarkdown } from './row-formats.ts';
import type { Grid } from './row-formats.ts';
import { readTemplate } from './row-template.ts';
import type { RowTemplate } from './row-template.ts';

const OPTIONS = {
  where: { short: 'w', value: 'EXPR', help: 'only notes for which it is true: \'status == "open" && due < now()\'' },
  sort: { short: 's', value: 'LIST', help: 'sort keys: due,title or "due desc"' },
  fields: { type: 'string', short: 'f', value: 'LIST', help: 'columns: status,file.mtime' },
  'group-by': { value: 'EXPR', help: 'group by the value of an expression' },
  path: { value: 'FOLDER', help: 'only notes below this folder', completes: 'place' },
  tag: { short: 't', help: 'only notes with this tag', completes: 'tag' },
  context: { value: 'REF', help: 'the file that `this` means', completes: 'note' },
  format: { type: 'string', value: 'FORMAT', help: 'output format', choices: FORMATS, default: 'table' },
  template: { type: 'string', value: 'TEXT', help: "print each with a template: '{{title}} ({{path}}) {{properties.rating}}'" },
  limit: LIMIT,
  offset: OFFSET,
  ...WATCH_OPTION,
} as const;

const DETAILS = [
  'Expressions are those of Obsidian Bases: properties by their names, file.name, file.mtime, file.hasTag("x"), dates with durations (now() - "7d"), == != < > && || !, and their functions.',
  'A template knows {{title}}, {{id}}, {{path}}, {{name}}, {{folder}}, {{tags}}, {{type}}, {{created}}, {{modified}}, {{size}}, {{file.…}} and {{properties.…}}, and \\n and \\t.',
];

/** `roux list`: notes by their properties. */
export const list = defineOperationCommand({
  operation: listAll,
  name: 'list',
  summary: 'notes by their properties, as a table, JSON, CSV or Markdown',
  details: DETAILS,
  group: 'read',
  options: { ...OPTIONS, type: { completes: 'type', help: 'only notes of this type' } },
  prepare: addFields,
  show: showRows,
  status: ({ nodes }) => statusOfList(nodes),
});

/** `roux base`: the rows of a view of a base. */
export const base = defineOperationCommand({
  operation: listAll,
  name: 'base',
  summary: 'the rows of a .base file, of its first view or the one that is named',
  details: ['The options add to the view: they filter its rows further, and replace its order and fields.', ...DETAILS],
  group: 'read',
  positionals: [
    { name: 'file', argument: 'base', completes: 'base' },
    { name: 'view', argument: 'view', isOptional: true, isJoined: true },
  ],
  options: OPTIONS,
  prepare: addFields,
  show: showRows,
  status: ({ nodes }) => statusOfList(nodes),
});

type Rows = AnswerOf<typeof listAll>;
type Query = Partial<z.input<(typeof listAll)['input']>>;
type RowsContext = CommandContext<Pick<typeof OPTIONS, 'fields' | 'format' | 'template'>>;

/** Adds the fields that `--fields` names, or else the template. */
function addFields(query: Query, context: RowsContext): Query {
  const { fields } = context.options;
  const named = fields === undefined ? readTemplateOption(context)?.fields : [fields];
  return named === undefined || named.length === 0 ? query : { ...query, fields: [...named] };
}

function showRows(rows: Rows, context: RowsContext, { base: file }: Query): void {
  const template = readTemplateOption(context);
  const format = template === null ? (context.options.format ?? 'table') : 'template';
  const grid = toGrid(rows, { isBase: file !== undefined && context.options.fields === undefined });
  if (format === 'json') context.printJson(rows);
  else if (format === 'csv') context.printText(toCsv(grid));
  else if (format === 'md') context.printText(toMarkdown(grid));
  else if (rows.nodes.length === 0) context.note('Nothing found.');
  else if (template === null) printTable(grid, context);
  else context.printText(rows.nodes.map((row) => `${template.fill(row)}\n`).join(''));
  for (const [name, value] of format === 'table' ? Object.entries(rows.summaries ?? {}) : [])
    context.print(context.paint.dim(`${rows.titles?.[name] ?? name}: ${JSON.stringify(value)}`));
}

/** Returns the parsed `--template`, or null if none was given. Throws if it is combined with another output format. */
function readTemplateOption({ isJson, options }: RowsContext): RowTemplate | null {
  const { template, format, fields } = options;
  if (template === undefined) return null;
  const other = isJson ? '--json' : format !== undefined ? '--format' : fields !== undefined ? '--fields' : null;
  if (other === null) return readTemplate(template);
  throw new UsageError(`--template and ${other} both say how rows are printed; leave one out`);
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
