import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { fileName } from '../../../note/path.ts';
import { compareText } from '../../../note/text.ts';
import { compileView, findView, summarize } from '../../../query/bases/compile-view.ts';
import type { Column } from '../../../query/bases/compile-view.ts';
import { compile } from '../../../query/compile.ts';
import { knowNames } from '../../../query/formulas.ts';
import type { KnownNames } from '../../../query/formulas.ts';
import { queryError, quoted } from '../../../query/query-error.ts';
import { Run } from '../../../query/run.ts';
import { groupsOf, selectRows } from '../../../query/select.ts';
import type { Row, Selection } from '../../../query/select.ts';
import { readSort, splitList } from '../../../query/sort-keys.ts';
import { toJson } from '../../../query/texts.ts';
import type { Json } from '../../../query/texts.ts';
import { FileValue } from '../../../query/values.ts';
import type { Value } from '../../../query/values.ts';
import type { OperationContext } from '../../operation.ts';
import { requireNote } from '../../reference.ts';
import { firstThatFit, shorten } from '../../shorten.ts';
import { findBase } from './find-bases.ts';
import type { FoundBase } from './find-bases.ts';
import { checkProperties, listPropertyNames } from './unknown-names.ts';

/** What one page of rows may take of an answer, and one row, and one of its values where the row is too long. */
const MAX_PAGE = 33_000;
const MAX_ROW = 4_000;
const MAX_VALUE = 300;
/** What groups, titles of columns and summaries may take. */
const MAX_BESIDE = 1_200;
/** Most fields, and most expressions to sort by. */
const MAX_FIELDS = 50;

/** What is asked of notes. */
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
}

/** One row of an answer: a note, or another file of the vault by its path. */
export interface QueryRow {
  readonly id: string;
  readonly title: string;
  readonly group?: Json;
  readonly fields?: { readonly [name: string]: Json };
}

/** What `list_nodes` answers to a query. */
export interface QueryAnswer {
  readonly base?: string;
  readonly view?: string;
  /** The views of the base, where it has several. */
  readonly views?: readonly string[];
  /** What people call the fields, where that is something else than their names. */
  readonly titles?: { readonly [field: string]: string };
  readonly groups?: readonly { readonly value: Json; readonly count: number }[];
  readonly nodes: readonly QueryRow[];
  readonly total: number;
  readonly next_offset?: number;
  readonly summaries?: { readonly [field: string]: Json };
}

/** Where the rows come from and what is shown of them: the query itself, with the view of a base below it. */
interface Plan {
  readonly names: KnownNames;
  readonly selection: Selection;
  readonly columns: readonly Column[];
  readonly beside: (run: Run, rows: readonly Row[]) => Partial<QueryAnswer>;
}

/**
 * Asks notes by their properties (E-21 to E-23): from memory, no file is read. `notes`: those that are in question; null where all are, and
 * other files too for a base.
 */
export async function queryNotes(context: OperationContext, query: Query, notes: readonly NoteEntry[] | null): Promise<QueryAnswer> {
  const { vault } = context;
  const { graph } = vault;
  const base = query.base === undefined ? null : findBase(vault, query.base);
  const here = query.context === undefined ? (base?.path ?? null) : await pathOf(context, query.context);
  const run = new Run(
    { graph, now: vault.ports.clock.now(), random: () => vault.ports.random(), timesOf: (path) => vault.timesOf(path) },
    here === null ? null : new FileValue(here, graph.get(here)),
  );
  let properties: ReadonlySet<string> | null = null;
  const isProperty = (name: string): boolean => (properties ??= listPropertyNames(graph)).has(name);
  const plan = base === null ? planQuery(query, { hasContext: here !== null, isProperty }) : planView(query, { ...base, isProperty });
  const files = notes === null ? filesOf(graph, base !== null) : notes.map((entry) => new FileValue(entry.path, entry));
  const rows = selectRows(run, files, plan.selection);
  for (const name of base === null ? checkProperties(graph, plan.names) : []) context.warn(`No note has a property ${quoted(name)}.`);
  const { limit, offset } = query;
  const groups = plan.selection.groupBy === null ? null : groupsOf(run, rows);
  const onCut = (): void => context.warn('Long values were shortened; get_node gives all of one note.');
  const nodes = firstThatFit(rowsOf(run, rows.slice(offset, offset + limit), { ...plan, onCut }), MAX_PAGE);
  const next = offset + nodes.length;
  return {
    ...plan.beside(run, rows),
    ...(groups === null
      ? {}
      : {
          groups: firstThatFit(
            groups.map(({ value, count }) => ({ value: shortJson(toJson(value)), count })),
            2 * MAX_BESIDE,
          ),
        }),
    nodes,
    total: rows.length,
    ...(next < rows.length && nodes.length > 0 ? { next_offset: next } : {}),
  };
}

function planQuery(query: Query, about: Pick<Parameters<typeof knowNames>[0], 'hasContext' | 'isProperty'>): Plan {
  const names = knowNames({ ...about, formulas: new Map(), place: String });
  return { names, selection: selectionOf(query, names), columns: columnsOf(query.fields ?? [], names), beside: () => ({}) };
}

/** A view of a base, with what the query says besides. */
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
    beside: (run, rows) => ({
      base: path,
      view: view.name,
      ...(base.views.length > 1
        ? {
            views: firstThatFit(
              base.views.map(({ name }) => name),
              MAX_BESIDE,
            ),
          }
        : {}),
      ...(titles.length === 0 ? {} : { titles: Object.fromEntries(firstThatFit(titles, MAX_BESIDE)) }),
      ...(view.summaries.size === 0 ? {} : { summaries: toFields(summarize(run, base, compiled, { rows, path }), { most: MAX_BESIDE }) }),
    }),
  };
}

function selectionOf({ where, sort, group_by }: Query, names: KnownNames): Selection {
  const [group] = group_by === undefined ? [] : readSort(group_by);
  return {
    where: where === undefined || where.trim() === '' ? [] : [compile({ text: where, place: 'where' }, names)],
    sort: atMost('sort', readSort(sort ?? '')).map(({ source, direction }) => ({ by: compile(source, names), direction })),
    groupBy: group === undefined ? null : { by: compile({ ...group.source, place: 'group_by' }, names), direction: group.direction },
    limit: null,
  };
}

function columnsOf(fields: readonly string[], names: KnownNames): readonly Column[] {
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

/** Every note, and for a base every other file, by path. */
function filesOf(graph: GraphView, withAttachments: boolean): readonly FileValue[] {
  const files = Array.from(graph.entries(), (entry) => new FileValue(entry.path, entry));
  if (!withAttachments) return files;
  for (const path of graph.attachments()) files.push(new FileValue(path, null));
  return files.sort((a, b) => compareText(a.path, b.path));
}

/** The rows of a page, each made when the one before it fitted. */
function* rowsOf(
  run: Run,
  rows: readonly Row[],
  { columns, selection, onCut }: Plan & { readonly onCut: () => void },
): Generator<QueryRow> {
  for (const { file, group } of rows) {
    run.turnTo(file);
    const { path, entry } = file;
    yield {
      id: entry?.id ?? path,
      title: shorten(entry?.title ?? fileName(path), MAX_ROW),
      ...(selection.groupBy === null ? {} : { group: shortJson(toJson(group)) }),
      ...(columns.length === 0
        ? {}
        : { fields: toFields(new Map(columns.map(({ name, value }) => [name, value(run)])), { most: MAX_ROW, onCut }) }),
    };
  }
}

/** Values of a row; `onCut` is called when they are too long to be shown in full. */
function toFields(
  values: ReadonlyMap<string, Value>,
  { most, onCut }: { readonly most: number; readonly onCut?: () => void },
): { readonly [name: string]: Json } {
  const fields = [...values].map(([name, value]) => [name, toJson(value)] as const);
  if (JSON.stringify(fields).length <= most) return Object.fromEntries(fields);
  onCut?.();
  return Object.fromEntries(
    firstThatFit(
      fields.map(([name, value]) => [name, shortJson(value)] as const),
      2 * most,
    ),
  );
}

/** A value of which only the beginning is shown where it is long. */
function shortJson(value: Json): Json {
  if (typeof value === 'string') return shorten(value, MAX_VALUE);
  if (typeof value !== 'object' || value === null || JSON.stringify(value).length <= MAX_VALUE) return value;
  if (Array.isArray(value)) return firstThatFit((value as readonly Json[]).map(shortJson), MAX_VALUE);
  return Object.fromEntries(
    firstThatFit(
      Object.entries(value).map(([key, each]) => [shorten(key, MAX_VALUE), shortJson(each as Json)] as const),
      MAX_VALUE,
    ),
  );
}

/** The path of what `this` is to stand for: a note by any reference, or another file by its path. */
async function pathOf(context: OperationContext, reference: string): Promise<string> {
  if (context.vault.graph.isAttachment(reference)) return reference;
  return (await requireNote(context, reference)).path;
}
