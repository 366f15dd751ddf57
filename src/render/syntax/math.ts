import temml from 'temml';
import { element, mapChildren, markdownElement, spanOf, text } from '../tree.ts';
import type { TreeNode, TreeProperties } from '../tree.ts';

/** Longer formulas, and those after this many characters of formulas in a note, are shown as source. */
const MAX_FORMULA_CHARACTERS = 4000;
const MAX_FORMULAS = 40_000;

/** Limits of macro expansions in a formula, and of the size of rules and spaces in em. */
const LIMITS = { maxExpand: 200, maxSize: [20, 20] as [number, number] };

/** Presentational MathML elements that cannot contain HTML. */
export const MATH_ELEMENTS: ReadonlySet<string> = new Set(
  'math mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none'.split(
    ' ',
  ),
);

export const MATH_ATTRIBUTES: ReadonlySet<string> = new Set(
  'accent accentunder alttext columnalign columnlines columnspacing columnspan depth dir display displaystyle fence form height largeop linethickness lspace mathcolor mathvariant maxsize minsize movablelimits notation rowalign rowlines rowspacing rowspan rspace scriptlevel separator stretchy symmetric voffset width'.split(
    ' ',
  ),
);

/** Turns formulas into MathML. The Markdown parser returns them as code that begins with `$`. */
export function markMath(root: TreeNode, source: string): void {
  let left = MAX_FORMULAS;
  mapChildren(root, (children) =>
    children.map((child) => {
      const span = child.type === 'inlineCode' || child.type === 'code' ? spanOf(child) : null;
      if (span === null || source[span.start] !== '$') return child;
      const written = source.slice(span.start, span.end);
      const isDisplay = written.startsWith('$$');
      const marks = isDisplay ? 2 : 1;
      const formula = withoutQuotes(written.slice(marks, -marks));
      left -= formula.length;
      const math = formula.length > MAX_FORMULA_CHARACTERS || left < 0 ? null : toMathml(formula, isDisplay);
      if (math === null) return { type: 'inlineCode', value: written, data: { hProperties: { className: ['math-source'] } } };
      const shown: TreeNode = {
        type: 'roux-math',
        data: { hName: 'span', hProperties: { className: ['math'] }, hChildren: [math] },
        children: [],
      };
      return isDisplay && child.type === 'code' ? markdownElement('div', { className: ['math-block'], tabIndex: 0 }, [shown]) : shown;
    }),
  );
}

/** Removes quote markers from the lines of a formula. */
function withoutQuotes(formula: string): string {
  return formula.replace(/\n[ \t]*(?:>[ \t]?)+/g, '\n');
}

/** A node of temml's tree. */
interface MathNode {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly children?: readonly MathNode[];
}

/** The package's types have another name for this function. */
const { __renderToMathMLTree: mathTree } = temml as unknown as {
  readonly __renderToMathMLTree: (formula: string, options: object) => MathNode;
};

/** Converts a formula to MathML without links, classes and styles. Returns null if it is invalid. */
function toMathml(formula: string, isDisplay: boolean): TreeNode | null {
  try {
    const tree = mathTree(formula, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      strict: false,
      annotate: false,
      ...LIMITS,
    });
    const [math] = toElements(tree);
    return math === undefined ? null : { ...math, properties: { ...math.properties, alttext: formula.trim().slice(0, 500) } };
  } catch {
    // Invalid, or nested so deeply that the stack overflowed.
    return null;
  }
}

function toElements(node: MathNode): TreeNode[] {
  if (node.text !== undefined) return [text(node.text)];
  const children = (node.children ?? []).flatMap(toElements);
  if (node.type === undefined) return children;
  const properties: TreeProperties = {};
  for (const [name, value] of Object.entries(node.attributes ?? {})) {
    if (MATH_ATTRIBUTES.has(name) && (typeof value === 'string' || typeof value === 'number')) properties[name] = String(value);
  }
  return MATH_ELEMENTS.has(node.type) ? [element(node.type, properties, children)] : children;
}
