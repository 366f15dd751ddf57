import type { NoteEntry } from '../../../graph/view.ts';
import { fileName } from '../../../note/path.ts';
import { compareText } from '../../../note/text.ts';
import { compileView, findView, summarize } from '../../../query/bases/compile-view.ts';
import type { Column } from '../../../query/bases/compile-view.ts';
import { compile } from '../../../query/compile.ts';
import { createQueryNames } from '../../../query/formulas.ts';
import type { QueryNames } from '../../../query/formulas.ts';
import { queryError, quoted } from '../../../query/query-error.ts';
import type { Run } from '../../../query/run.ts';
import { groupsOf, selectRows } from '../../../query/select.ts';
import type { Row, Selection } from '../../../query/select.ts';
import { readSort, splitList } from '../../../query/sort-keys.ts';
import { toJson } from '../../../query/texts.ts';
import type { Json } from '../../../query/texts.ts';
import { FileValue } from '../../../query/values.ts';
import type { Value } from '../../../query/values.ts';
import type { Settings, Vault } from '../../../vault/vault.ts';
import type { OperationContext } from '../../operation.ts';
import { requireNote } from '../../reference.ts';
import { takeWhileFits, shorten } from '../../shorten.ts';
import { findBase } from './find-bases.ts';
import type { FoundBase } from './find-bases.ts';
import { createRun } from './select-notes.ts';
import { checkPropertyNames, listPropertyNames } from './unknown-names.ts';

/** Maximum sizes of the parts of an answer, in characters of JSON. */
interface Sizes {
  /** All rows of a page. */
  readonly page: number;
  /** The values of one row; if they take more, each is truncated to `value`. */
  readonly row: number;
  readonly value: number;
  /** The name of a field. */
  readonly name: number;
  /** Groups, column titles and summaries. */
  readonly beside: number;
  readonly columns: number;
}

/** Maximum number of fields, and of sort expressions. */
const MAX_FIELDS = 50;
/** Sizes of an answer for an MCP client; rows that do not fit go to the next page. */
const PAGE: Sizes = { page: 33_000, row: 4_000, value: 300, name: 120, beside: 1_200, columns: MAX_FIELDS };
const ALL = Number.POSITIVE_INFINITY;
/** No limits, for a program that prints everything. */
const WHOLE: Sizes = { page: ALL, row: ALL, value: ALL, name: ALL, beside: ALL, columns: ALL };

/** The query arguments of `list_nodes`. */
export interface Query {
  readonly where?: string | undefined;
  readonly sort?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly group_by?: string | undefined;
  readonly base?: string | undefined;
  readonly view?: string | undefined;
  readonly context?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Groups to skip. */
  readonly groupsOffset: number;
  /** Return all requested rows without truncating anything. */
  readonly isWhole?: boolean | undefined;
}

/** The files to query. */
export interface QueryScope {
  readonly notes: readonly NoteEntry[];
  /** A folder (`''` for the root) whose attachments are queried too, since a base has rows for them; null for none. */
  readonly under: string | null;
}

/** One row of an answer: a note, or an attachment by its path. */
export interface QueryRow {
  readonly id: string;
  readonly title: string;
  readonly group?: Json;
  readonly fields?: { readonly [name: string]: Json };
  /** For a name that only links have: their number, and the first notes that hold them. */
  readonly links?: number;
  readonly in?: readonly string[];
  readonly in_omitted?: number;
  /** The note whose name is nearest to it. */
  readonly nearest?: string;
}

/** The answer of `list_nodes` to a query. */
export interface QueryAnswer {
  readonly base?: string;
  readonly view?: string;
  /** The views of the base, if it has several. */
  readonly views?: readonly string[];
  /** Display names of fields, where they differ from the names. */
  readonly titles?: { readonly [field: string]: string };
  readonly groups?: readonly { readonly value: Json; readonly count: number }[];
  readonly groups_total?: number;
  readonly next_groups_offset?: number;
  readonly nodes: readonly QueryRow[];
  readonly total: number;
  readonly next_offset?: number;
  readonly summaries?: { readonly [field: string]: Json };
}

/** What to select and show: the query itself, combined with the view of a base. */
interface Plan {
  readonly names: QueryNames;
  readonly selection: Selection;
  readonly columns: readonly Column[];
  readonly beside: (rows: readonly Row[], show: Show) => Partial<QueryAnswer>;
}

/** How values are put into an answer. */
interface Show {
  readonly run: Run;
  readonly sizes: Sizes;
  /** Called when a value was truncated. */
  readonly onCut: () => void;
}

/** Queries notes by their properties (E-21 to E-23), from the index; no file is read. */
export async function queryNotes(context: OperationContext, query: Query, { notes, under }: QueryScope): Promise<QueryAnswer> {
  const { vault } = context;
  const { graph } = vault;
  const base = query.base === undefined ? null : findBase(vault, query.base);
  const here = query.context === undefined ? (base?.path ?? null) : await pathOf(context, query.context);
  const run = createRun(vault, here);
  let properties: ReadonlySet<string> | null = null;
  const isProperty = (name: string): boolean => (properties ??= listPropertyNames(graph)).has(name);
  const plan = base === null ? planQuery(query, { hasContext: here !== null, isProperty }) : planView(query, { ...base, isProperty });
  const files = [
    ...notes.map((entry) => new FileValue(entry.path, entry)),
    ...(base === null || under === null ? [] : attachmentsOf(vault, under)),
  ].sort((a, b) => compareText(a.path, b.path));
  const rows = selectRows(run, files, plan.selection);
  for (const name of base === null ? checkPropertyNames(graph, plan.names) : []) context.warn(`No note has a property ${quoted(name)}.`);
  const { limit, offset } = query;
  const groups = plan.selection.groupBy === null ? null : groupsOf(run, rows);
  const sizes = query.isWhole === true ? WHOLE : PAGE;
  const onCut = (): void => context.warn('Long values were shortened; get_node gives all of one note.');
  const show: Show = { run, sizes, onCut };
  const columns = plan.columns.slice(0, sizes.columns);
  if (columns.length < plan.columns.length)
    context.warn(`Of ${plan.columns.length} columns the first ${columns.length} are shown; name others in fields.`);
  const nodes = takeWhileFits(rowsOf(rows.slice(offset, offset + limit), { ...plan, columns }, show), sizes.page);
  const next = offset + nodes.length;
  return {
    ...plan.beside(rows, show),
    ...(groups === null ? {} : pageOfGroups(groups, query, show)),
    nodes,
    total: rows.length,
    ...(next < rows.length && nodes.length > 0 ? { next_offset: next } : {}),
  };
}

function planQuery(query: Query, about: Pick<Parameters<typeof createQueryNames>[0], 'hasContext' | 'isProperty'>): Plan {
  const names = createQueryNames({ ...about, formulas: new Map(), place: String });
  return { names, selection: selectionOf(query, names), columns: columnsOf(query.fields ?? [], names), beside: () => ({}) };
}

/** Plans a view of a base; the arguments of the query refine or override it. */
function planView(query: Query, { base, path, isProperty }: FoundBase & { readonly isProperty: (name: string) => boolean }): Plan {
  const compiled = compileView(base, findView(base, query.view, path), { path, isProperty });
  const { names, view } = compiled;
  const own = selectionOf(query, names);
  const columns = query.fields === undefined ? compiled.columns : columnsOf(query.fields, names);
  const titles = columns.filter(({ name, title }) => name !== title).map(({ name, title }) => [name, title] as const);
  return {
    names,
    columns,
    selection: {
      where: [...compiled.selection.where, ...own.where],
      sort: own.sort.length > 0 ? own.sort : compiled.selection.sort,
      groupBy: own.groupBy ?? compiled.selection.groupBy,
      limit: compiled.selection.limit,
    },
    beside(rows, { run, sizes, onCut }) {
      const brief = (name: string): string => shorten(name, sizes.name);
      const views = base.views.map(({ name }) => brief(name));
      const named = titles.map(([name, title]) => [brief(name), brief(title)] as const);
      const summaries = view.summaries.size === 0 ? null : summarize(run, base, compiled, { rows, path });
      const few = sizes === WHOLE ? WHOLE : { ...sizes, row: sizes.beside, value: 60, columns: 20 };
      return {
        base: path,
        view: brief(view.name),
        ...(views.length > 1 ? { views: takeWhileFits(views, sizes.beside) } : {}),
        ...(named.length === 0 ? {} : { titles: Object.fromEntries(takeWhileFits(named, sizes.beside)) }),
        ...(summaries === null ? {} : { summaries: toFields([...summaries].slice(0, few.columns), { run, sizes: few, onCut }) }),
      };
    },
  };
}

function selectionOf({ where, sort, group_by }: Query, names: QueryNames): Selection {
  const [group] = group_by === undefined ? [] : readSort(group_by);
  return {
    where: where === undefined || where.trim() === '' ? [] : [compile({ text: where, place: 'where' }, names)],
    sort: atMost('sort', readSort(sort ?? '')).map(({ source, direction }) => ({ by: compile(source, names), direction })),
    groupBy: group === undefined ? null : { by: compile({ ...group.source, place: 'group_by' }, names), direction: group.direction },
    limit: null,
  };
}

function columnsOf(fields: readonly string[], names: QueryNames): readonly Column[] {
  return atMost('fields', fields.flatMap(splitList)).map((text) => ({
    name: text,
    title: text,
    value: compile({ text, place: 'fields' }, names),
  }));
}

function atMost<T>(argument: string, list: readonly T[]): readonly T[] {
  if (list.length <= MAX_FIELDS) return list;
  throw queryError(`${argument} has ${list.length} expressions; at most ${MAX_FIELDS} are read.`);
}

/** Returns the attachments below a folder, except hidden ones. */
export function attachmentsOf(
  vault: Pick<Vault, 'graph'> & { readonly settings: Pick<Settings, 'isHidden'> },
  under: string,
): readonly FileValue[] {
  const paths = [...vault.graph.attachments()].filter(
    (path) => (under === '' || path.startsWith(`${under}/`)) && !vault.settings.isHidden(path),
  );
  return paths.map((path) => new FileValue(path, null));
}

/** Returns a page of groups with their number, most of the answer if no notes are asked for. */
function pageOfGroups(
  groups: ReturnType<typeof groupsOf>,
  { limit, groupsOffset }: Query,
  { run, sizes }: Show,
): Pick<QueryAnswer, 'groups' | 'groups_total' | 'next_groups_offset'> {
  const rest = groups.slice(groupsOffset).map(({ value, count }) => ({ value: shortJson(toJson(run, value), sizes.value), count }));
  const taken = takeWhileFits(rest, limit === 0 ? sizes.page : 2 * sizes.beside);
  const next = groupsOffset + taken.length;
  return { groups: taken, groups_total: groups.length, ...(next < groups.length ? { next_groups_offset: next } : {}) };
}

/** Yields the rows of a page lazily: the caller stops at the first that does not fit. */
function* rowsOf(rows: readonly Row[], { columns, selection }: Plan, show: Show): Generator<QueryRow> {
  const { run, sizes } = show;
  for (const { file, group } of rows) {
    run.turnTo(file);
    const { path, entry } = file;
    yield {
      id: entry?.id ?? path,
      title: shorten(entry?.title ?? fileName(path), sizes.row),
      ...(selection.groupBy === null ? {} : { group: shortJson(toJson(run, group), sizes.value) }),
      ...(columns.length === 0
        ? {}
        : {
            fields: toFields(
              columns.map(({ name, value }) => [name, value(run)] as const),
              show,
            ),
          }),
    };
  }
}

/** Puts values under unique field names; if they are too long together, each is truncated. */
function toFields(values: readonly (readonly [string, Value])[], { run, sizes, onCut }: Show): { readonly [name: string]: Json } {
  const all = values.map(([name, value]) => [name, toJson(run, value)] as const);
  const isLong = sizes.row < ALL && JSON.stringify(all.map(([, value]) => value)).length > sizes.row;
  const fields = new Map<string, Json>();
  for (const [name, value] of new Map(all)) {
    const brief = shorten(name, sizes.name);
    const key = fields.has(brief) ? `${brief} (${fields.size + 1})` : brief;
    fields.set(key, isLong ? shortJson(value, sizes.value) : value);
    if (brief !== name) onCut();
  }
  if (isLong) onCut();
  return Object.fromEntries(fields);
}

/** Truncates a value to at most `most` characters of JSON. */
function shortJson(value: Json, most: number): Json {
  if (typeof value === 'string') return shorten(value, most);
  if (typeof value !== 'object' || value === null || most === ALL || JSON.stringify(value).length <= most) return value;
  const short = (each: Json): Json => shortJson(each, most);
  if (Array.isArray(value)) return takeWhileFits((value as readonly Json[]).map(short), most);
  const entries = Object.entries(value).map(([key, each]) => [shorten(key, most), short(each as Json)] as const);
  return Object.fromEntries(takeWhileFits(entries, most));
}

/** Resolves the path that `this` refers to: a note by any reference, or an attachment by its path. */
async function pathOf(context: OperationContext, reference: string): Promise<string> {
  if (context.vault.graph.isAttachment(reference)) return reference;
  return (await requireNote(context, reference)).path;
}
