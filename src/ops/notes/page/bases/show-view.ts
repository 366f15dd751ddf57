import { RouxError } from '../../../../errors.ts';
import { baseName } from '../../../../note/path.ts';
import { compareText } from '../../../../note/text.ts';
import { compileView, findByProperty, titleOf } from '../../../../query/bases/compile-view.ts';
import type { Column } from '../../../../query/bases/compile-view.ts';
import type { Base, BaseView, Filter } from '../../../../query/bases/read-bases.ts';
import { selectRows } from '../../../../query/select.ts';
import { FileValue } from '../../../../query/values.ts';
import type { Settings } from '../../../../vault/vault.ts';
import { shorten } from '../../../shorten.ts';
import { attachmentsOf } from '../../query/query-notes.ts';
import { createRun } from '../../query/select-notes.ts';
import type { QueriedVault } from '../../query/select-notes.ts';
import { listPropertyNames } from '../../query/unknown-names.ts';
import { showRows } from './show-rows.ts';

const MAX_COLUMNS = 50;
const MAX_TITLE_CHARACTERS = 200;

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

/** What a view is made of: a vault, or the notes of one that are published. */
export type ViewSource = QueriedVault & { readonly settings: Pick<Settings, 'isHidden'> };

interface Asked {
  readonly name: string;
  /** Of the file; undefined for a block. */
  readonly path: string | undefined;
  readonly view: BaseView;
  readonly here: string | undefined;
  readonly limit: number;
}

/** A view of a base with its rows. */
export type ShownView = ReturnType<typeof showView>;

/** Returns the first rows of a view, with its columns, groups and summaries. Throws `INVALID_PARAMS` for a mistake in the base. */
export function showView(source: ViewSource, base: Base, { name, path, view, here, limit }: Asked) {
  const { graph } = source;
  let properties: ReadonlySet<string> | null = null;
  const isProperty = (property: string): boolean => (properties ??= listPropertyNames(graph)).has(property);
  const compiled = compileView(base, view, { path: name, isProperty });
  const isKnown = here !== undefined && (graph.get(here) !== null || graph.isAttachment(here));
  const run = createRun(source, isKnown ? here : (path ?? null));
  const files = [...[...graph.entries()].map((entry) => new FileValue(entry.path, entry)), ...attachmentsOf(source, '')];
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
    notices: compiled.columns.length > MAX_COLUMNS ? [`Of ${compiled.columns.length} columns the first ${MAX_COLUMNS} are shown.`] : [],
  };
}

/** The only column where a view names none. */
const NAME: Column = { name: 'file.name', title: 'file.name', value: (run) => baseName(run.file.path) };

/** Returns the view with a name, in any case, and else the first one. */
export function findView({ views }: Base, asked: string | undefined): BaseView {
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
