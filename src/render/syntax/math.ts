import temml from 'temml';
import { element, mapChildren, markdownElement, spanOf, text } from '../tree.ts';
import type { TreeNode, TreeProperties } from '../tree.ts';

/** Longer formulas, and those after this many characters of formulas in a note, are shown as source. */
const MAX_FORMULA_CHARACTERS = 4000;
const MAX_FORMULAS = 40_000;
const MAX_ALT_CHARACTERS = 500;
/** Formulas in a line that are longer than this may break after an operator. */
const MIN_LONG_CHARACTERS = 40;

/** Limits of macro expansions in a formula, and of the size of rules and spaces in em. */
const LIMITS = { maxExpand: 200, maxSize: [20, 20] as [number, number] };

/** Presentational MathML elements that cannot contain HTML. */
export const MATH_ELEMENTS: ReadonlySet<string> = new Set(
  'math mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none'.split(
    ' ',
  ),
);

/** Classes of temml for which `math.css` has rules, and those that stand for its inline styles, which the page's policy forbids. */
export const MATH_CLASSES: readonly string[] =
  'actuarial chr-lrg chr-lrg-vec chr-med chr-med-vec chr-sml chr-sml-vec circle-pad downstrike longdiv-arc longdiv-top math-back math-bold math-bottom math-boxed math-dashed math-double math-flush-left math-flush-right math-glue math-gap-left math-left math-long math-low math-mirrored math-right math-top mathscr phasor-angle phasor-bottom sout textcircle tml-cancel tml-fbox tml-hat-1 tml-hat-2 tml-hat-3 tml-hat-4 tml-jot tml-left tml-lrg-pad tml-med-pad tml-overline tml-prime tml-right tml-small tml-sml-pad tml-tilde-2 tml-tilde-3 tml-tilde-4 tml-underline tml-xcancel upstrike'.split(
    ' ',
  );
const CLASSES: ReadonlySet<string> = new Set(MATH_CLASSES);

export const MATH_ATTRIBUTES: ReadonlySet<string> = new Set(
  'accent accentunder alttext columnalign columnlines columnspacing columnspan depth dir display displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathvariant maxsize minsize movablelimits rowalign rowlines rowspacing rowspan rspace scriptlevel separator stretchy symmetric voffset width'.split(
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
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, unknown>>;
  readonly children?: readonly MathNode[];
}

/** The package's types have another name for this function. */
const { __renderToMathMLTree: mathTree } = temml as unknown as {
  readonly __renderToMathMLTree: (formula: string, options: object) => MathNode;
};

/** Converts a formula to MathML without links and styles. Returns null if it is invalid. */
function toMathml(formula: string, isDisplay: boolean): TreeNode | null {
  const isLong = !isDisplay && formula.length > MIN_LONG_CHARACTERS;
  try {
    const tree = mathTree(formula, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      strict: false,
      annotate: false,
      wrap: isLong ? 'tex' : 'none',
      ...LIMITS,
    });
    const [math] = toElements(tree);
    const alttext = formula.trim().slice(0, MAX_ALT_CHARACTERS);
    return math === undefined
      ? null
      : { ...math, properties: { ...math.properties, alttext, ...(isLong ? { className: ['math-long'] } : {}) } };
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
  const className = [...(node.classes ?? []).filter((name) => CLASSES.has(name)), ...classesOfStyle(node.style ?? {})];
  if (className.length > 0) properties['className'] = className;
  const { color } = node.style ?? {};
  if (typeof color === 'string' && color !== '') properties['mathcolor'] ??= color;
  // Browsers have given up `menclose`: a row with a class looks the same everywhere.
  const name = node.type === 'menclose' ? 'mrow' : node.type;
  if (!MATH_ELEMENTS.has(name)) return children;
  const built = element(name, properties, children);
  if ((name === 'msqrt' || name === 'mroot') && !isTall(children[0])) {
    built.properties = { ...properties, className: [...className, 'math-low'] };
    // Browsers hang a sign that is taller than its letters below the line. A taller strut lifts it.
    const strut = children[0]?.children?.find(({ tagName }) => tagName === 'mspace');
    if (strut !== undefined) strut.properties = { ...strut.properties, height: ROOT_STRUT };
  }
  return [built];
}

/** Returns whether a radicand needs a larger root than letters do. */
function isTall(node: TreeNode | undefined): boolean {
  return node !== undefined && (TALL.has(node.tagName ?? '') || (node.children ?? []).some(isTall));
}

/** Height of the line over letters, from the base line. */
const ROOT_STRUT = '0.8em';
const TALL: ReadonlySet<string> = new Set('mfrac mmultiscripts mover mroot msqrt mtable munder munderover'.split(' '));

/** Inline styles and the classes that stand for them. */
const STYLE_CLASSES: readonly (readonly [name: string, value: RegExp, className: string])[] = [
  ['border', /./, 'math-boxed'],
  ...['Top', 'Bottom', 'Left', 'Right'].flatMap((side): [string, RegExp, string][] => [
    [`border${side}`, /./, `math-${side.toLowerCase()}`],
    [`border${side}`, /dashed/, 'math-dashed'],
    [`border${side}`, /double/, 'math-double'],
  ]),
  ['fontWeight', /bold/, 'math-bold'],
  // Negative spaces.
  ['marginLeft', /^-/, 'math-back'],
  ['paddingLeft', /^0(?:em)?$/, 'math-flush-left'],
  ['paddingLeft', /^1em$/, 'math-gap-left'],
  ['paddingRight', /^0(?:em)?$/, 'math-flush-right'],
  ['textAlign', /left/, 'tml-left'],
  ['transform', /scaleX\(-1\)/, 'math-mirrored'],
  ['width', /^50%$/, 'math-glue'],
];

function classesOfStyle(style: Readonly<Record<string, unknown>>): readonly string[] {
  return STYLE_CLASSES.filter(([name, value]) => name in style && value.test(String(style[name]))).map(([, , className]) => className);
}
