/** An expression of a query, read. `at` is where it begins in its text, in UTF-16 units from 0. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: null | boolean | number | string; readonly at: number }
  | { readonly kind: 'pattern'; readonly pattern: RegExp; readonly at: number }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'this'; readonly at: number }
  | { readonly kind: 'list'; readonly elements: readonly Expression[]; readonly at: number }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: string, value: Expression])[]; readonly at: number }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression; readonly at: number }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly at: number;
    }
  /** `a.b`, and `a["b"]`; `at` is that of the name. */
  | { readonly kind: 'member'; readonly of: Expression; readonly name: string; readonly at: number }
  /** `a[0]`, `a[b]`. */
  | { readonly kind: 'element'; readonly of: Expression; readonly index: Expression; readonly at: number }
  /** `f(x)`. */
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[]; readonly at: number }
  /** `a.f(x)`; `at` is that of the name. */
  | { readonly kind: 'method'; readonly of: Expression; readonly name: string; readonly args: readonly Expression[]; readonly at: number };

export type UnaryOperator = '!' | '-' | '+';

/** Every operator between two values with how tightly it binds. */
export const BINARY_OPERATORS = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '>': 4,
  '<=': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
} as const;

export type BinaryOperator = keyof typeof BINARY_OPERATORS;

/** The text of an expression, with the words by which messages name it: `where`, `formula "ppu"`. */
export interface ExpressionSource {
  readonly text: string;
  readonly place: string;
  /** It was read from a file: data, which messages do not repeat. */
  readonly isFromFile?: boolean;
}

/** Which way is sorted: up or down. */
export type Direction = 1 | -1;
