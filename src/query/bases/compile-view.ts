import { compile } from '../compile.ts';
import { queryError, quoted } from '../query-error.ts';
import { createQueryNames } from '../formulas.ts';
import type { QueryNames } from '../formulas.ts';
import { didYouMean } from '../../suggest.ts';
import type { Compiled, Run } from '../run.ts';
import type { Row, Selection } from '../select.ts';
import { isTruthy } from '../values.ts';
import type { Value } from '../values.ts';
import type { Base, BaseView, Filter, SortKey } from './read-bases.ts';
import { SUMMARIES } from './summaries.ts';

/** A property shown for each row. */
export interface Column {
  /** Its name in the query or view. */
  readonly name: string;
  /** Its display name. */
  readonly title: string;
  readonly value: Compiled;
}

export interface CompiledView {
  readonly view: BaseView;
  readonly names: QueryNames;
  readonly selection: Selection;
  readonly columns: readonly Column[];
  /** The picture of a card; null for none. */
  readonly image: Compiled | null;
}

/** The number of views that an error names. */
const MAX_NAMED = 30;

/** Finds the view with this name, or the first one. Throws `INVALID_PARAMS` that lists the existing views. */
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

/** The file of a view, and which names are properties. */
interface ViewPlace {
  /** The path of the base. */
  readonly path: string;
  readonly isProperty: (name: string) => boolean;
}

/** Compiles a view (E-23). Throws `INVALID_PARAMS` that names the file, the place in it and the column. */
export function compileView(base: Base, view: BaseView, { path, isProperty }: ViewPlace): CompiledView {
  const names = createQueryNames({
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
    image: view.layout.image === null ? null : property(view.layout.image),
  };
}

/** Returns the display name of a property. */
export function titleOf(base: Base, name: string): string {
  return findByProperty(base.titles, name) ?? name.replace(/^(?:note|formula)\./, '');
}

/** Finds what a base says about a property, which may be listed with or without `note.`. */
export function findByProperty<T>(map: ReadonlyMap<string, T>, name: string): T | undefined {
  return map.get(name) ?? map.get(name.startsWith('note.') ? name.slice(5) : `note.${name}`);
}

/** Compiles a property of a view. Without a prefix it is a property of the note, whatever characters its name has. */
function compileProperty(name: string, { names, place }: { readonly names: QueryNames; readonly place: string }): Compiled {
  const prefix = /^(?:file|formula|note)(?=\.)/.exec(name)?.[0];
  const key = prefix === undefined ? name : name.slice(prefix.length + 1);
  if (prefix === 'file' || prefix === 'formula')
    return compile({ text: `${prefix}[${JSON.stringify(key)}]`, place, isFromFile: true }, names);
  return (run) => run.property(run.file, key);
}

function compileFilter(filter: Filter, names: QueryNames, place: string): Compiled {
  if (typeof filter === 'string') return compile({ text: filter, place, isFromFile: true }, names);
  const parts = filter.parts.map((part) => compileFilter(part, names, place));
  // An empty filter is true.
  if (parts.length === 0) return () => true;
  if (filter.kind === 'and') return (run) => parts.every((part) => isTruthy(part(run)));
  const isAny = (run: Run): boolean => parts.some((part) => isTruthy(part(run)));
  return filter.kind === 'or' ? isAny : (run) => !isAny(run);
}

/** Returns the view's summaries of all its rows, by property. */
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
