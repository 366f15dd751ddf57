import { compileFormula } from './compile.ts';
import type { Formula, Names } from './compile.ts';
import type { ExpressionSource } from './expression.ts';
import { expressionError, quoted } from './query-error.ts';

/**
 * The names that the expressions of one query can use: its formulas, each compiled on first use, and `this` if it is defined. `properties`
 * collects the names without `note.`, each with its first use.
 */
export interface QueryNames extends Names {
  readonly properties: ReadonlyMap<string, { readonly from: ExpressionSource; readonly at: number }>;
}

/** The number of properties that one query may name, since each is looked up in every note. */
const MAX_PROPERTIES = 100;

/** The nesting depth of formulas that refer to each other, counted over all of them, since each level is a nested call. */
const MAX_DEPTH = 512;

/** Creates the names of a query. `place` returns what messages call a formula. */
export function createQueryNames(options: {
  readonly formulas: ReadonlyMap<string, string>;
  readonly hasContext: boolean;
  readonly isProperty: (name: string) => boolean;
  readonly place: (formula: string) => string;
}): QueryNames {
  const compiled = new Map<string, Formula>();
  /** The formulas being compiled, each referred to by the one before it. */
  const path: string[] = [];
  /** The nesting depth at which the last of them is referred to. */
  let above = 0;
  const properties = new Map<string, { from: ExpressionSource; at: number }>();
  const names: QueryNames = {
    properties,
    get formulaNames() {
      return options.formulas.keys();
    },
    hasContext: options.hasContext,
    isProperty: options.isProperty,
    onProperty(name, from, at) {
      if (properties.size >= MAX_PROPERTIES) throw expressionError(from, at, `the query names more than ${MAX_PROPERTIES} properties.`);
      if (!properties.has(name)) properties.set(name, { from, at });
    },
    formula(name, { from, at, depth }) {
      const known = compiled.get(name);
      if (above + depth + (known?.levels ?? 0) > MAX_DEPTH)
        throw expressionError(from, at, `formulas that name one another are nested more than ${MAX_DEPTH} deep.`);
      if (known !== undefined) return known;
      const text = options.formulas.get(name);
      if (text === undefined) return null;
      const circle = path.indexOf(name);
      if (circle >= 0) throw expressionError(from, at, `formulas go in a circle: ${circleText([...path.slice(circle), name])}.`);
      path.push(name);
      above += depth;
      const made = compileFormula({ text, place: options.place(name), isFromFile: true }, names);
      above -= depth;
      path.pop();
      compiled.set(name, made);
      return made;
    },
  };
  return names;
}

/** Formats a cycle of formulas, without its middle if it is long. */
function circleText(names: readonly string[]): string {
  const shown = names.map(quoted);
  return (shown.length <= 8 ? shown : [...shown.slice(0, 4), '…', ...shown.slice(-3)]).join(' -> ');
}
