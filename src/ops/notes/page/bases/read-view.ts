import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import { baseName, fileName } from '../../../../note/path.ts';
import { compareText } from '../../../../note/text.ts';
import { compileView, findByProperty, titleOf } from '../../../../query/bases/compile-view.ts';
import type { Column } from '../../../../query/bases/compile-view.ts';
import { baseLimits, readBase } from '../../../../query/bases/read-bases.ts';
import type { Base, BaseView, Filter } from '../../../../query/bases/read-bases.ts';
import { selectRows } from '../../../../query/select.ts';
import { FileValue } from '../../../../query/values.ts';
import { textOf } from '../../../../vault/read-files.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { defineOperation } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { shorten } from '../../../shorten.ts';
import { attachmentsOf } from '../../query/query-notes.ts';
import { createRun } from '../../query/select-notes.ts';
import { listPropertyNames } from '../../query/unknown-names.ts';
import { locateProblem } from './locate-problem.ts';
import { showRows } from './show-rows.ts';

const MAX_COLUMNS = 50;
const MAX_TITLE_CHARACTERS = 200;
const MAX_ROWS = 2_000;

/** The names by which Obsidian shows properties of files. */
const FILE_TITLES: Readonly<Record<string, string>> = {
  'file.name': 'File name',
  'file.basename': 'File name',
  'file.path': 'File path',
  'file.folder': 'Folder',
  'file.ext': 'File extension',
  'file.size': 'File size',
  'file.ctime': 'Created time',
  'file.mtime': 'Modified time',
  'file.tags': 'File tags',
  'file.links': 'File links',
  'file.embeds': 'File embeds',
  'file.backlinks': 'File backlinks',
  'file.file': 'File',
};

/** Returns a view of a base with its rows. A base with a mistake is an answer of its own, which names the line. */
export const readView = defineOperation({
  name: 'read_base_view',
  toolset: null,
  title: 'View of a base',
  summary: 'A view of a .base file, or of a base block of a note: columns, rows with their values, groups and summaries.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({
    base: z.string().min(1).max(4_096).optional().describe('Path of a .base file'),
    source: z.string().max(baseLimits.characters).optional().describe('The text of a base, instead of a file'),
    view: z.string().max(1_000).optional().describe('Default: the first'),
    context: z.string().min(1).max(4_096).optional().describe('The file that "this" refers to; default: the base'),
    limit: z.int().min(1).max(MAX_ROWS).default(50).describe('Rows'),
  }),
  async run(context, { base: path, source, view, context: here, limit }) {
    await context.vault.refresh('changed');
    const text = source ?? readBaseText(context.vault, path ?? '');
    const name = path === undefined ? 'This block' : fileName(path);
    try {
      return showView(context, readBase(text, name), { name, path, view, here, limit });
    } catch (error) {
      if (!(error instanceof RouxError) || error.code !== 'INVALID_PARAMS') throw error;
      return { kind: 'problem' as const, message: error.message, at: locateProblem(text, error.details) };
    }
  },
});

/** Reads a `.base` file. One that is too long is cut to a length that `readBase` refuses. */
function readBaseText({ graph, notes }: Vault, path: string): string {
  // A character has at most four bytes, so a longer file exceeds the limit and is not read.
  const isHuge = (notes.timesOf(path)?.size ?? 0) > 4 * baseLimits.characters;
  const text = !graph.isAttachment(path) ? null : isHuge ? 'x'.repeat(baseLimits.characters + 1) : textOf(notes.readAttachment(path));
  if (text === null) throw new RouxError('NODE_NOT_FOUND', `There is no base at ${shorten(path, MAX_TITLE_CHARACTERS)}.`, { base: path });
  return text;
}

interface Asked {
  readonly name: string;
  /** Of the file; undefined for a block. */
  readonly path: string | undefined;
  readonly view: string | undefined;
  readonly here: string | undefined;
  readonly limit: number;
}

function showView(context: OperationContext, base: Base, { name, path, view: asked, here, limit }: Asked) {
  const { vault } = context;
  const { graph } = vault;
  const view = pickView(base, asked);
  let properties: ReadonlySet<string> | null = null;
  const isProperty = (property: string): boolean => (properties ??= listPropertyNames(graph)).has(property);
  const compiled = compileView(base, view, { path: name, isProperty });
  const isKnown = here !== undefined && (graph.get(here) !== null || graph.isAttachment(here));
  const run = createRun(vault, isKnown ? here : (path ?? null));
  const files = [...[...graph.entries()].map((entry) => new FileValue(entry.path, entry)), ...attachmentsOf(vault, '')];
  files.sort((a, b) => compareText(a.path, b.path));
  const rows = selectRows(run, files, compiled.selection);
  const columns = (compiled.columns.length > 0 || compiled.image !== null ? compiled.columns : [NAME]).slice(0, MAX_COLUMNS);
  const { layout } = view;
  return {
    kind: 'view' as const,
    name: name.replace(/\.base$/i, ''),
    view: { name: shorten(view.name, MAX_TITLE_CHARACTERS), type: shorten(view.type, 40) },
    views: base.views.map((each) => ({ name: each.name, type: shorten(each.type, 40) })),
    columns: columns.map((column) => {
      const width = findByProperty(layout.columnSizes, column.name);
      return { title: titleFor(column), ...(width === undefined ? {} : { width }) };
    }),
    ...showRows(run, base, { compiled, columns, rows, path: name, limit }),
    total: rows.length,
    group_title: view.groupBy === null ? null : titleFor({ name: view.groupBy.property, title: titleOf(base, view.groupBy.property) }),
    has_pictures: compiled.image !== null,
    layout: {
      card_size: layout.cardSize,
      is_image_whole: layout.isImageWhole,
      image_ratio: layout.imageRatio,
      markers: layout.markers,
      is_indented: layout.isIndented,
      separator: layout.separator,
    },
    // Where no note embeds it, such a view is mostly empty.
    depends_on_note: !isKnown && (dependsOnThis(base.filter) || dependsOnThis(view.filter)),
    notices: [
      ...(asked === undefined || view.name.toLowerCase() === asked.toLowerCase()
        ? []
        : [`This base has no view “${shorten(asked, 60)}”. Its first view is shown instead.`]),
      ...(compiled.columns.length > MAX_COLUMNS ? [`Of ${compiled.columns.length} columns the first ${MAX_COLUMNS} are shown.`] : []),
    ],
  };
}

/** The only column where a view names none. */
const NAME: Column = { name: 'file.name', title: 'file.name', value: (run) => baseName(run.file.path) };

function pickView({ views }: Base, asked: string | undefined): BaseView {
  const found =
    asked === undefined
      ? undefined
      : (views.find(({ name }) => name === asked) ?? views.find(({ name }) => name.toLowerCase() === asked.toLowerCase()));
  const view = found ?? views[0];
  // A base without views has a default one.
  if (view === undefined) throw new RouxError('INVALID_PARAMS', 'The base has no views.');
  return view;
}

/** Whether a condition refers to the file that shows the base. */
function dependsOnThis(filter: Filter): boolean {
  return typeof filter === 'string' ? /\bthis\b/.test(filter) : filter.parts.some(dependsOnThis);
}

function titleFor({ name, title }: Pick<Column, 'name' | 'title'>): string {
  return shorten(title === name ? (FILE_TITLES[name] ?? title) : title, MAX_TITLE_CHARACTERS);
}
