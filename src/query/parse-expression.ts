import jsepObject from '@jsep-plugin/object';
import jsepRegex from '@jsep-plugin/regex';
import jsep from 'jsep';
import { BINARY_OPERATORS } from './expression.ts';
import type { BinaryOperator, Expression, ExpressionSource, UnaryOperator } from './expression.ts';
import { expressionError, quoted } from './query-error.ts';

/** Limits of an expression, in characters, levels and nodes: far above what people write, since evaluation time grows with them. */
export const expressionLimits = { length: 10_000, depth: 64, parts: 1_000 } as const;

/** A node of jsep, with the offsets that `Reader` adds. */
interface Node {
  readonly type: string;
  at?: number;
  readonly [key: string]: unknown;
}

/** The members used here of the class behind `jsep()`, which jsep's types omit. */
interface JsepReader {
  index: number;
  readonly expr: string;
  parse(): Node;
  gobbleSpaces(): void;
  gobbleToken(): Node | false | undefined;
  gobbleIdentifier(): Node;
  gobbleNumericLiteral(): Node;
  gobbleTokenProperty(node: Node): Node;
  throwError(message: string): never;
}

const { Jsep } = jsep as unknown as { Jsep: new (text: string) => JsepReader };

// jsep's default grammar is JavaScript's. These settings are global to jsep, which only this module uses.
jsep.removeAllBinaryOps();
jsep.removeAllUnaryOps();
for (const [operator, precedence] of Object.entries(BINARY_OPERATORS)) jsep.addBinaryOp(operator, precedence);
for (const operator of ['!', '-', '+']) jsep.addUnaryOp(operator);
jsep.plugins.register(jsepRegex as unknown as jsep.IPlugin, jsepObject as unknown as jsep.IPlugin);

const number = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
/** Operators of other languages, with what to write instead. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['=', '=='],
  ['&', '&&'],
  ['|', '||'],
  ['?', 'if(condition, then, else)'],
]);

/** Tells names with hyphens from subtractions. */
interface Hyphenated {
  isProperty(name: string): boolean;
}

/** The rest of a hyphenated name. */
const hyphens = /(?:-[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*){1,8}/y;

/** Parses an expression in the language of Obsidian's Bases (E-21). An invalid one throws `INVALID_PARAMS` with the column. */
export function parseExpression(source: ExpressionSource, names: Hyphenated): Expression {
  const { text } = source;
  if (text.length > expressionLimits.length)
    throw expressionError(
      { ...source, text: text.slice(0, 200) },
      0,
      `it has ${text.length} characters; at most ${expressionLimits.length} are read.`,
    );
  const node = new Reader(source, names).parse();
  if (node.type === 'Compound') {
    const [, second] = node['body'] as readonly Node[];
    if (second === undefined) throw expressionError(source, 0, 'an expression is missing.');
    throw unexpected(source, second.at ?? 0);
  }
  return new Translator(source).expression(node);
}

function unexpected(source: ExpressionSource, at: number): Error {
  const word = /^(?:\w+|.)/u.exec(source.text.slice(at))?.[0] ?? '';
  const better = OTHER_WORDS.get(word.toLowerCase());
  return expressionError(source, at, `${quoted(word)} is not expected here${better === undefined ? '.' : `; write ${better}.`}`);
}

/** jsep with offsets, limits, and methods of numbers (`5.isEmpty()`). */
class Reader extends Jsep {
  readonly #source: ExpressionSource;
  readonly #names: Hyphenated;
  #depth = 0;
  #parts = 0;

  constructor(source: ExpressionSource, names: Hyphenated) {
    super(source.text);
    this.#source = source;
    this.#names = names;
  }

  override gobbleToken(): Node | false | undefined {
    this.gobbleSpaces();
    const at = this.index;
    this.#depth += 1;
    this.#parts += 1;
    if (this.#depth > expressionLimits.depth)
      throw expressionError(this.#source, at, `it is nested more than ${expressionLimits.depth} deep.`);
    if (this.#parts > expressionLimits.parts) throw expressionError(this.#source, at, `it has more than ${expressionLimits.parts} parts.`);
    const node = super.gobbleToken();
    this.#depth -= 1;
    if (typeof node === 'object') node.at ??= at;
    return node;
  }

  override gobbleIdentifier(): Node {
    const at = this.index;
    this.#parts += 1;
    const node = super.gobbleIdentifier();
    const name = this.#hyphenated(String(node['name']));
    return { ...node, name, at };
  }

  /** Returns the longest existing property that continues this name with a hyphen; else the name itself. */
  #hyphenated(name: string): string {
    hyphens.lastIndex = this.index;
    for (let rest = hyphens.exec(this.expr)?.[0] ?? ''; rest !== ''; rest = rest.slice(0, rest.lastIndexOf('-'))) {
      if (!this.#names.isProperty(name + rest)) continue;
      this.index += rest.length;
      return name + rest;
    }
    return name;
  }

  override gobbleNumericLiteral(): Node {
    number.lastIndex = this.index;
    const digits = number.exec(this.expr)?.[0];
    if (digits === undefined) return this.throwError('Unexpected period');
    this.index += digits.length;
    if (/^[\w$]/.test(this.expr.slice(this.index))) this.throwError('A name cannot begin with a digit');
    return this.gobbleTokenProperty({ type: 'Literal', value: Number(digits) });
  }

  override throwError(message: string): never {
    const at = Math.min(this.index, this.expr.length);
    if (message.startsWith('Unexpected "')) throw unexpected(this.#source, at);
    // jsep's message repeats the unclosed text, which may be long.
    const short = message.startsWith('Unclosed quote') ? 'a quote is not closed' : message.charAt(0).toLowerCase() + message.slice(1, 120);
    throw expressionError(this.#source, at, `${short}.`);
  }
}

/** Converts jsep's tree to an `Expression`. */
class Translator {
  readonly #source: ExpressionSource;
  #parts = 0;

  constructor(source: ExpressionSource) {
    this.#source = source;
  }

  expression(node: Node | null | undefined): Expression {
    const at = node?.at ?? 0;
    this.#parts += 1;
    if (this.#parts > 2 * expressionLimits.parts)
      throw expressionError(this.#source, at, `it has more than ${expressionLimits.parts} parts.`);
    switch (node?.type) {
      case 'Literal': {
        const { value } = node;
        return value instanceof RegExp
          ? { kind: 'pattern', pattern: value, at }
          : { kind: 'literal', value: value as string | number | boolean | null, at };
      }
      case 'Identifier':
        return { kind: 'name', name: String(node['name']), at };
      case 'ThisExpression':
        return { kind: 'this', at };
      case 'ArrayExpression':
        return { kind: 'list', elements: this.#all(node['elements']), at };
      case 'ObjectExpression':
        return { kind: 'map', entries: (node['properties'] as readonly Node[]).map((pair) => this.#pair(pair)), at };
      case 'UnaryExpression':
        return { kind: 'unary', operator: node['operator'] as UnaryOperator, operand: this.expression(node['argument'] as Node), at };
      case 'BinaryExpression': {
        const left = this.expression(node['left'] as Node);
        return {
          kind: 'binary',
          operator: node['operator'] as BinaryOperator,
          left,
          right: this.expression(node['right'] as Node),
          at: left.at,
        };
      }
      case 'MemberExpression':
        return this.#member(node);
      case 'CallExpression':
        return this.#call(node);
      case 'ConditionalExpression':
        throw expressionError(this.#source, at, 'a ? b : c is not known; write if(a, b, c).');
      default:
        throw unexpected(this.#source, at);
    }
  }

  #all(nodes: unknown): readonly Expression[] {
    return (nodes as readonly (Node | null)[]).map((node) => this.expression(node));
  }

  #pair({ type, key, value, at = 0 }: Node): readonly [string, Expression] {
    const { type: kind, name, value: literal } = (key ?? {}) as Node;
    if (type !== 'Property' || (kind !== 'Identifier' && kind !== 'Literal'))
      throw expressionError(this.#source, at, 'an object is written as {"key": value}.');
    return [String(kind === 'Identifier' ? name : literal), this.expression(value as Node)];
  }

  #member(node: Node): Expression {
    const of = this.expression(node['object'] as Node);
    const property = node['property'] as Node;
    const at = property.at ?? of.at;
    if (node['computed'] !== true) return { kind: 'member', of, name: String(property['name']), at };
    const index = this.expression(property);
    return index.kind === 'literal' && typeof index.value === 'string'
      ? { kind: 'member', of, name: index.value, at }
      : { kind: 'element', of, index, at };
  }

  #call(node: Node): Expression {
    const callee = node['callee'] as Node;
    const args = this.#all(node['arguments']);
    if (callee.type === 'Identifier') return { kind: 'call', name: String(callee['name']), args, at: callee.at ?? 0 };
    if (callee.type !== 'MemberExpression' || callee['computed'] === true)
      throw expressionError(this.#source, callee.at ?? 0, 'only a function can be called: name(...) or value.name(...).');
    const property = callee['property'] as Node;
    return { kind: 'method', of: this.expression(callee['object'] as Node), name: String(property['name']), args, at: property.at ?? 0 };
  }
}
