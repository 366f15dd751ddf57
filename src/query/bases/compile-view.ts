import { compile } from '../compile.ts';
import { queryError, quoted } from '../query-error.ts';
import { knowNames } from '../formulas.ts';
import type { KnownNames } from '../formulas.ts';
import { didYouMean } from '../../suggest.ts';
import type { Compiled, Run } from '../run.ts';
import type { Row, Selection } from '../select.ts';
import { isTruthy } from '../values.ts';
import type { Value } from '../values.ts';
import type { Base, BaseView, Filter, SortKey } from './read-bases.ts';
import { SUMMARIES } from './summaries.ts';

/** A property that rows show. */
export interface Column {
  /** As it is named in the query or view. */
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  readonly value: Compiled;
}

/** A view, ready to be asked. */
export interface CompiledView {
  readonly view: BaseView;
  readonly names: KnownNames;
  readonly selection: Selection;
  readonly columns: readonly Column[];
}

/** How many views an error names. */
const MAX_NAMED = 30;

/** The view of a name, or the first one; `INVALID_PARAMS` with the names that there are. */
export function findView(base: Base, name: string | undefined, path: string): BaseView {
  const [first] = base.views;
  const names = base.views.map((view) => view.name);
  const found =
    name === undefined
      ? first
      : (base.views.find((view) => view.name === name) ?? base.views.find((view) => view.name.toLowerCase() === name.toLowerCase()));
  if (found !== undefined) return found;
  const shown = names.slice(0, MAX_NAMED);
  throw queryError(
    `${path} has no view ${quoted(name ?? '')}${didYouMean(name ?? '', names)} Its views: ${shown.map(quoted).join(', ')}.`,
    {
      views: shown,
    },
  );
}

/** Where a view stands, and what names are properties there. */
interface ViewPlace {
  /** Of the base. */
  readonly path: string;
  readonly isProperty: (name: string) => boolean;
}

/** Makes functions of what a view says (E-23). `INVALID_PARAMS` names the file, the place in it and the column. */
export function compileView(base: Base, view: BaseView, { path, isProperty }: ViewPlace): CompiledView {
  const names = knowNames({
    formulas: base.formulas,
    hasContext: true,
    isProperty,
    place: (formula) => `${path}, formula ${quoted(formula)}`,
  });
  const property = (name: string): Compiled => compileProperty(name, { names, place: `${path}, view ${quoted(view.name)}` });
  const toKey = ({ property: name, direction }: SortKey) => ({ by: property(name), direction });
  return {
    view,
    names,
    selection: {
      where: [
        compileFilter(base.filter, names, `${path}, filters`),
        compileFilter(view.filter, names, `${path}, filters of view ${quoted(view.name)}`),
      ],
      sort: view.sort.map(toKey),
      groupBy: view.groupBy === null ? null : toKey(view.groupBy),
      limit: view.limit,
    },
    columns: view.order.map((name) => ({ name, title: titleOf(base, name), value: property(name) })),
  };
}

/** What people call a property: with or without `note.` before it. */
function titleOf(base: Base, name: string): string {
  const other = name.startsWith('note.') ? name.slice(5) : `note.${name}`;
  return base.titles.get(name) ?? base.titles.get(other) ?? name.replace(/^(?:note|formula)\./, '');
}

/** A property as views name it; what has no prefix is one of the note, whatever characters it has. */
function compileProperty(name: string, { names, place }: { readonly names: KnownNames; readonly place: string }): Compiled {
  const prefix = /^(?:file|formula|note)(?=\.)/.exec(name)?.[0];
  const key = prefix === undefined ? name : name.slice(prefix.length + 1);
  if (prefix === 'file' || prefix === 'formula')
    return compile({ text: `${prefix}[${JSON.stringify(key)}]`, place, isFromFile: true }, names);
  return (run) => run.property(run.file, key);
}

function compileFilter(filter: Filter, names: KnownNames, place: string): Compiled {
  if (typeof filter === 'string') return compile({ text: filter, place, isFromFile: true }, names);
  const parts = filter.parts.map((part) => compileFilter(part, names, place));
  // Without a condition there is nothing that could fail.
  if (parts.length === 0) return () => true;
  if (filter.kind === 'and') return (run) => parts.every((part) => isTruthy(part(run)));
  const isAny = (run: Run): boolean => parts.some((part) => isTruthy(part(run)));
  return filter.kind === 'or' ? isAny : (run) => !isAny(run);
}

/** What the view's summaries say of all its rows, by property. */
export function summarize(
  run: Run,
  base: Base,
  { view, names }: CompiledView,
  { rows, path }: { readonly rows: readonly Row[]; readonly path: string },
): ReadonlyMap<string, Value> {
  const summaries = new Map<string, Value>();
  for (const [property, name] of view.summaries) {
    const place = `${path}, summary ${quoted(name)}`;
    const value = compileProperty(property, { names, place });
    const custom = base.summaries.get(name);
    const own = SUMMARIES.get(name);
    if (custom === undefined && own === undefined)
      throw queryError(`${place}: there is no summary of that name${didYouMean(name, [...base.summaries.keys(), ...SUMMARIES.keys()])}`);
    const formula = custom === undefined ? null : compile({ text: custom, place, isFromFile: true }, names, ['values']);
    const values = rows.map(({ file }) => {
      run.turnTo(file);
      return value(run);
    });
    run.turnTo(null);
    run.values = values;
    summaries.set(property, formula === null ? (own?.(values, run) ?? null) : formula(run));
  }
  return summaries;
}
