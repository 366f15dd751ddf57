import { didYouMean } from '../suggest.ts';
import type { BinaryOperator, Expression, ExpressionSource } from './expression.ts';
import { globalFunctions } from './functions/globals.ts';
import { collect, reduce } from './functions/loops.ts';
import { callMethod, fileFields, LIST_EXPRESSIONS, methodNames, readField } from './functions/members.ts';
import { negate, OPERATORS } from './operators.ts';
import { countChoices } from './pattern-clock.ts';
import { parseExpression } from './parse-expression.ts';
import { expressionError, quoted } from './query-error.ts';
import type { Compiled, Run } from './run.ts';
import { isList, isTruthy, MapValue, Pattern } from './values.ts';
import type { FileValue, Value } from './values.ts';

/** Resolves the names in an expression. */
export interface Names {
  /**
   * Returns the formula of this name, or null. `depth` is the nesting depth of the reference. Throws if formulas refer to each other in a
   * cycle or too deeply.
   */
  formula(name: string, place: { readonly from: ExpressionSource; readonly at: number; readonly depth: number }): Formula | null;
  readonly formulaNames: Iterable<string>;
  /** Whether `this` is defined. */
  readonly hasContext: boolean;
  /** Whether notes have a property of this name; if so, a name with hyphens is not read as a subtraction. */
  isProperty(name: string): boolean;
  /** Called for each property that is named without `note.`. */
  onProperty(name: string, from: ExpressionSource, at: number): void;
}

/** A compiled expression, and its nesting depth including the formulas that it refers to. */
export interface Formula {
  readonly compiled: Compiled;
  readonly levels: number;
}

/** Names that exist only within a list function or a summary. */
type Local = 'value' | 'index' | 'acc' | 'values';

const LIST_LOCALS: readonly Local[] = ['value', 'index'];

/** Parses and compiles an expression. An invalid one throws `INVALID_PARAMS` with the column (E-21). */
export function compile(source: ExpressionSource, names: Names, locals: readonly Local[] = []): Compiled {
  return new Compiler(source, names).compile(parseExpression(source, names), new Set(locals));
}

/** Compiles an expression that others can refer to. */
export function compileFormula(source: ExpressionSource, names: Names): Formula {
  const compiler = new Compiler(source, names);
  const compiled = compiler.compile(parseExpression(source, names), new Set());
  return { compiled, levels: compiler.levels };
}

class Compiler {
  readonly #source: ExpressionSource;
  readonly #names: Names;
  #depth = 0;
  /** The nesting depth of what was compiled. */
  levels = 0;

  constructor(source: ExpressionSource, names: Names) {
    this.#source = source;
    this.#names = names;
  }

  compile(expression: Expression, locals: ReadonlySet<Local>): Compiled {
    this.#depth += 1;
    this.levels = Math.max(this.levels, this.#depth);
    const compiled = this.#compile(expression, locals);
    this.#depth -= 1;
    return compiled;
  }

  #compile(expression: Expression, locals: ReadonlySet<Local>): Compiled {
    const all = (expressions: readonly Expression[]): readonly Compiled[] => expressions.map((each) => this.compile(each, locals));
    switch (expression.kind) {
      case 'literal': {
        const { value } = expression;
        return () => value;
      }
      case 'pattern': {
        const pattern = new Pattern(expression.pattern, countChoices(expression.pattern));
        return () => pattern;
      }
      case 'this':
        return this.#context(expression.at);
      case 'name':
        return this.#name(expression, locals);
      case 'list': {
        const elements = all(expression.elements);
        return (run) => {
          run.charge(1 + elements.length);
          return elements.map((each) => each(run));
        };
      }
      case 'map': {
        const entries = expression.entries.map(([key, value]) => [key, this.compile(value, locals)] as const);
        return (run) => {
          run.charge(1 + entries.length);
          return new MapValue(new Map(entries.map(([key, value]) => [key, value(run)])));
        };
      }
      case 'unary': {
        const operand = this.compile(expression.operand, locals);
        if (expression.operator === '!') return (run) => !isTruthy(operand(run));
        return expression.operator === '-' ? (run) => negate(operand(run)) : operand;
      }
      case 'binary':
        return this.#operation(expression.operator, this.compile(expression.left, locals), this.compile(expression.right, locals));
      case 'member':
        return this.#member(expression, locals);
      case 'element': {
        const [of, index] = [this.#ofElement(expression.of, locals), this.compile(expression.index, locals)];
        return (run) => element(run, of(run), index(run));
      }
      case 'call':
        return this.#call(expression, locals);
      case 'method':
        return this.#method(expression, locals);
    }
  }

  #context(at: number): Compiled {
    if (!this.#names.hasContext) throw this.#error(at, '`this` is not defined here; name a file in `context`.');
    return (run) => run.context;
  }

  #name({ name, at }: Extract<Expression, { kind: 'name' }>, locals: ReadonlySet<Local>): Compiled {
    if (locals.has(name as Local)) return (run) => run[name as Local];
    if (name === 'file') return (run) => run.file;
    if (name === 'note') return (run) => run.properties(run.file);
    if (name === 'formula') throw this.#error(at, 'a formula is named: formula.name.');
    return this.#property(name, at);
  }

  /** Compiles a property that is named without `note.`. */
  #property(name: string, at: number): Compiled {
    this.#names.onProperty(name, this.#source, at);
    return (run) => run.property(run.file, name);
  }

  #operation(operator: BinaryOperator, left: Compiled, right: Compiled): Compiled {
    if (operator === '&&') return (run) => isTruthy(left(run)) && isTruthy(right(run));
    if (operator === '||') return (run) => isTruthy(left(run)) || isTruthy(right(run));
    const operate = OPERATORS[operator];
    return (run) => {
      run.charge(1);
      return operate(run, left(run), right(run));
    };
  }

  #member({ of, name, at }: Extract<Expression, { kind: 'member' }>, locals: ReadonlySet<Local>): Compiled {
    if (of.kind === 'this') return this.#contextMember(name, at);
    if (of.kind === 'name' && !locals.has(of.name as Local)) {
      if (of.name === 'note') return (run) => run.property(run.file, name);
      if (of.name === 'formula') return this.#formula(name, at);
      if (of.name === 'file') return this.#fileField(name, at, (run) => run.file);
    }
    if (of.kind === 'member' && of.of.kind === 'this') {
      const object = this.#context(of.at) as (run: Run) => FileValue;
      if (of.name === 'note') return (run) => run.property(object(run), name);
      if (of.name === 'file') return this.#fileField(name, at, object);
    }
    const object = this.compile(of, locals);
    return (run) => readField(run, object(run), name);
  }

  /** Compiles `this.file`, `this.note`, or a property of the file that `this` means. */
  #contextMember(name: string, at: number): Compiled {
    const context = this.#context(at) as (run: Run) => FileValue;
    if (name === 'file') return context;
    if (name === 'note') return (run) => run.properties(context(run));
    return (run) => run.property(context(run), name);
  }

  #fileField(name: string, at: number, of: (run: Run) => Value): Compiled {
    if (!fileFields.has(name)) throw this.#error(at, `files have no field ${quoted(name)}; they have ${[...fileFields].join(', ')}.`);
    return (run) => readField(run, of(run), name);
  }

  #formula(name: string, at: number): Compiled {
    const formula = this.#names.formula(name, { from: this.#source, at, depth: this.#depth });
    if (formula === null) throw this.#error(at, `there is no formula ${quoted(name)}${didYouMean(name, this.#names.formulaNames)}`);
    const { compiled, levels } = formula;
    this.levels = Math.max(this.levels, this.#depth + levels);
    return (run) => run.formula(compiled);
  }

  /** Compiles `note[x]`, `file[x]` and `this[x]`, whose key is only known when a row is evaluated. */
  #ofElement(of: Expression, locals: ReadonlySet<Local>): Compiled {
    if (of.kind === 'this') {
      const context = this.#context(of.at) as (run: Run) => FileValue;
      return (run) => run.properties(context(run));
    }
    return this.compile(of, locals);
  }

  #call({ name, args, at }: Extract<Expression, { kind: 'call' }>, locals: ReadonlySet<Local>): Compiled {
    const compiled = args.map((each) => this.compile(each, locals));
    if (name === 'if') {
      const [condition, then, otherwise] = compiled;
      if (condition === undefined || then === undefined)
        throw this.#error(at, 'if needs a condition and a result: if(condition, then, else).');
      return (run) => {
        run.charge(1);
        return isTruthy(condition(run)) ? then(run) : (otherwise?.(run) ?? null);
      };
    }
    const call = globalFunctions.get(name);
    if (call === undefined) {
      const hint = methodNames.has(name) ? `; it is a function of values: value.${name}(...)` : null;
      throw this.#error(
        at,
        `there is no function ${quoted(name)}${hint === null ? didYouMean(name, ['if', ...globalFunctions.keys()]) : `${hint}.`}`,
      );
    }
    return (run) => {
      run.charge(1);
      return call(
        run,
        compiled.map((each) => each(run)),
      );
    };
  }

  #method({ of, name, args, at }: Extract<Expression, { kind: 'method' }>, locals: ReadonlySet<Local>): Compiled {
    if (!methodNames.has(name)) throw this.#error(at, `there is no function ${quoted(name)}${didYouMean(name, methodNames)}`);
    const object = this.compile(of, locals);
    if (LIST_EXPRESSIONS.has(name)) return this.#listExpression(object, { name, args, at }, locals);
    const isOfTags = name.startsWith('contains') && (of.kind === 'name' || of.kind === 'member') && of.name === 'tags';
    const compiled = args.map((each) => (isOfTags ? withoutHash(this.compile(each, locals)) : this.compile(each, locals)));
    const [first] = compiled;
    // A fast path: nearly every function has at most one argument.
    if (compiled.length === 0) return (run) => callMethod(run, object(run), name, []);
    if (compiled.length === 1 && first !== undefined) return (run) => callMethod(run, object(run), name, [first(run)]);
    return (run) =>
      callMethod(
        run,
        object(run),
        name,
        compiled.map((each) => each(run)),
      );
  }

  #listExpression(
    object: Compiled,
    { name, args: [each, initial], at }: { name: string; args: readonly Expression[]; at: number },
    locals: ReadonlySet<Local>,
  ): Compiled {
    if (each === undefined) throw this.#error(at, `${name} needs an expression, in which \`value\` is the element.`);
    if (name === 'reduce') {
      const step = this.compile(each, new Set([...locals, ...LIST_LOCALS, 'acc' as const]));
      const first = initial === undefined ? (): Value => null : this.compile(initial, locals);
      return (run) => reduce(run, object(run), step, first(run));
    }
    const compiled = this.compile(each, new Set([...locals, ...LIST_LOCALS]));
    return name === 'map'
      ? (run) => collect(run, object(run), () => compiled(run))
      : (run) => collect(run, object(run), (value) => (isTruthy(compiled(run)) ? value : undefined));
  }

  #error(at: number, message: string): Error {
    return expressionError(this.#source, at, message);
  }
}

/** Removes the `#` of a tag, since lists of tags hold none. */
function withoutHash(tag: Compiled): Compiled {
  return (run) => {
    const value = tag(run);
    return typeof value === 'string' && value.startsWith('#') ? value.slice(1) : value;
  };
}

/** Evaluates `a[b]`: an element by its index, or a value by its key. */
function element(run: Run, of: Value, index: Value): Value {
  run.charge(1);
  if (typeof index === 'number') return isList(of) ? (of[index] ?? null) : typeof of === 'string' ? (of[index] ?? null) : null;
  return typeof index === 'string' ? readField(run, of, index) : null;
}
