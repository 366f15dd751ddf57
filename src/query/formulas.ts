import { compileFormula } from './compile.ts';
import type { Formula, Names } from './compile.ts';
import type { ExpressionSource } from './expression.ts';
import { expressionError, quoted } from './query-error.ts';

/**
 * The names that expressions of one query know: its formulas, each compiled when it is first named, and `this` where it stands for
 * something. `properties` collects what is named without `note.`, with the place where it is named first.
 */
export interface KnownNames extends Names {
  readonly properties: ReadonlyMap<string, { readonly from: ExpressionSource; readonly at: number }>;
}

/** Most properties that one query names: each is looked up in every note. */
const MAX_PROPERTIES = 100;

/** How deep formulas may name one another, each level of each counted: every one of them is a call in a call. */
const MAX_DEPTH = 512;

/** The names of a query. `place`: how messages call a formula. */
export function knowNames(options: {
  readonly formulas: ReadonlyMap<string, string>;
  readonly hasContext: boolean;
  /** Whether notes have a property of that name. */
  readonly isProperty: (name: string) => boolean;
  readonly place: (formula: string) => string;
}): KnownNames {
  const compiled = new Map<string, Formula>();
  /** The formulas that are being compiled, each named by the one before. */
  const path: string[] = [];
  /** How deep the place is where the last of them is named. */
  let above = 0;
  const properties = new Map<string, { from: ExpressionSource; at: number }>();
  const names: KnownNames = {
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

/** A circle in words, its middle left out where it is long. */
function circleText(names: readonly string[]): string {
  const shown = names.map(quoted);
  return (shown.length <= 8 ? shown : [...shown.slice(0, 4), '…', ...shown.slice(-3)]).join(' -> ');
}
