/** A parsed expression. `at` is its offset in the text, in UTF-16 units. */
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
  /** `a.b` and `a["b"]`; `at` is the offset of the name. */
  | { readonly kind: 'member'; readonly of: Expression; readonly name: string; readonly at: number }
  /** `a[0]`, `a[b]`. */
  | { readonly kind: 'element'; readonly of: Expression; readonly index: Expression; readonly at: number }
  /** `f(x)`. */
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[]; readonly at: number }
  /** `a.f(x)`; `at` is the offset of the name. */
  | { readonly kind: 'method'; readonly of: Expression; readonly name: string; readonly args: readonly Expression[]; readonly at: number };

export type UnaryOperator = '!' | '-' | '+';

/** The binary operators, each with its precedence. */
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

/** The text of an expression, and what messages call it, such as `where` or `formula "ppu"`. */
export interface ExpressionSource {
  readonly text: string;
  readonly place: string;
  /** Whether it comes from a file. Messages do not repeat its text, which is data. */
  readonly isFromFile?: boolean;
}

/** A sort direction: ascending or descending. */
export type Direction = 1 | -1;
