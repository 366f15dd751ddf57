import { parseSync } from 'oxc-parser';

/** One bug that is let into a file. */
export interface Mutant {
  /** The file and a number in it. */
  readonly id: string;
  readonly line: number;
  /** What is done to the source, in words. */
  readonly change: string;
}

/** A source with every bug in it, each asleep until `__mutant(id)` answers true. */
export interface Instrumented {
  readonly code: string;
  readonly mutants: readonly Mutant[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Operators and what takes their place. */
const OTHER_OPERATOR: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};

/** Calls and what takes their place; null: what they are called on, as it is. */
const OTHER_CALL: Readonly<Record<string, string | null>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  max: 'min',
  min: 'max',
  toReversed: null,
  reverse: null,
  toSorted: null,
  sort: null,
  filter: null,
};

/** What a message says, and what the log is told, is no behaviour that a test has to hold. */
const MESSAGES = /^(?:RouxError|Error|\w*log|.*\.log)$/;

/** What asks for the time. */
const CLOCK = /\bnow\(\)/;

/** What keeps a timer from holding the process back shows only when the process ends. */
const ENDS_OF_THE_PROCESS = /\.unref\(\)$/;

/**
 * Puts every mutant of a TypeScript source into it, each behind a switch. `name`: the prefix of the ids of its mutants.
 * What is evaluated once when the module is loaded (limits, times, tables, patterns) has none: a switch cannot reach it.
 */
export function instrument(name: string, source: string): Instrumented {
  const { program, errors } = parseSync(name, source);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`);
  const mutants: Mutant[] = [];

  const raw = ({ start, end }: Node): string => source.slice(start, end);
  const add = (node: Node, change: string): string => {
    const id = `${name}#${mutants.length}`;
    mutants.push({ id, line: source.slice(0, node.start).split('\n').length, change });
    return `__mutant(${JSON.stringify(id)})`;
  };
  const shown = (node: Node): string => raw(node).replace(/\s+/g, ' ').slice(0, 60);

  /** How many functions, or initialisers of fields of an instance, the node being rendered is in. */
  let depth = 0;
  /** What stands on the way of an optional chain is not put into brackets: the chain would end there. */
  const spine = new Set<Node>();

  /** The source of a node with the mutants of what is in it. */
  function inner(node: Node): string {
    if (node.type === 'ChainExpression')
      for (let one = node['expression']; isNode(one); one = one['object'] ?? one['callee'] ?? one['expression']) spine.add(one);
    let code = '';
    let at = node.start;
    for (const child of childrenOf(node)) {
      code += source.slice(at, child.start) + render(child, node);
      at = child.end;
    }
    return code + source.slice(at, node.end);
  }

  function choose(node: Node, code: string, to: string, change: string): string {
    return `(${add(node, `${shown(node)} → ${change}`)} ? (${to}) : (${code}))`;
  }

  function render(node: Node, parent: Node): string {
    if (isLeftAlone(node)) return raw(node);
    const isEntered = isRunLater(node);
    if (isEntered) depth++;
    const code = inner(node);
    if (isEntered) depth--;
    return depth === 0 ? code : withRole(node, parent, renderOne(node, code, parent));
  }

  function renderOne(node: Node, code: string, parent: Node): string {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const [left, right, operator] = [node['left'] as Node, node['right'] as Node, String(node['operator'])];
        if (operator === '??') return choose(node, code, raw(right), 'the right side');
        const other = OTHER_OPERATOR[operator];
        // Texts are put together with `+` as well.
        if (other === undefined || (operator === '+' && /['"`]/.test(raw(node)))) return code;
        // Whether a moment is the last one before or the first one behind a limit is no difference that anybody sees.
        if (/^[<>]/.test(operator) && CLOCK.test(raw(node))) return code;
        return choose(node, code, `(${raw(left)}) ${other} (${raw(right)})`, other);
      }
      case 'UnaryExpression':
        return node['operator'] === '!' ? choose(node, code, raw(node['argument'] as Node), 'without !') : code;
      case 'Literal': {
        const { value } = node;
        if (!isValue(node, parent)) return code;
        if (typeof value === 'boolean') return choose(node, code, String(!value), String(!value));
        return typeof value === 'number' ? choose(node, code, String(value + 1), String(value + 1)) : code;
      }
      case 'CallExpression':
        return spine.has(node) ? code : renderCall(node, code);
      case 'ExpressionStatement': {
        const expression = node['expression'] as Node;
        const isSuper = expression.type === 'CallExpression' && (expression['callee'] as Node).type === 'Super';
        return isSuper || isLeftAlone(expression) || ENDS_OF_THE_PROCESS.test(raw(expression))
          ? code
          : `{ if (!${add(node, `${shown(node)} → nothing`)}) ${code} }`;
      }
      case 'ThrowStatement':
        return `{ if (!${add(node, `${shown(node)} → nothing`)}) ${code} }`;
      default:
        return code;
    }
  }

  function renderCall(node: Node, code: string): string {
    const callee = node['callee'] as Node;
    const property = callee.type === 'MemberExpression' && callee['computed'] === false ? (callee['property'] as Node) : null;
    const name = property === null ? '' : raw(property);
    if (property === null || !Object.hasOwn(OTHER_CALL, name)) return code;
    const other = OTHER_CALL[name] ?? null;
    const to =
      other === null
        ? raw(callee['object'] as Node)
        : source.slice(node.start, property.start) + other + source.slice(property.end, node.end);
    return choose(node, code, to, other ?? `without ${name}`);
  }

  /** What can be done to a node for the place where it stands: a condition, or what is given back. */
  function withRole(node: Node, parent: Node, code: string): string {
    if (parent['test'] === node && parent.type === 'IfStatement') return choose(node, choose(node, code, 'true', 'true'), 'false', 'false');
    if (parent['test'] === node && parent.type === 'ConditionalExpression') return choose(node, code, `!(${raw(node)})`, 'its opposite');
    const isGiven =
      (parent.type === 'ReturnStatement' && parent['argument'] === node) ||
      (parent.type === 'ArrowFunctionExpression' && parent['body'] === node && node.type !== 'BlockStatement');
    if (!isGiven || /^(?:null|undefined|true|false|\[\])$/.test(raw(node)) || raw(node).startsWith('void ')) return code;
    return choose(node, code, 'undefined', 'undefined');
  }

  const code = inner(program as unknown as Node);
  // A comment may stand before and after the program.
  return { code: source.slice(0, program.start) + code + source.slice(program.end), mutants };
}

/** Nodes below a node, in the order of the source. */
function childrenOf(node: Node): readonly Node[] {
  const found: Node[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (key === 'parent') continue;
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) if (isNode(one)) found.push(one);
  }
  // A shorthand property has one node twice.
  return found
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((each, index, all) => index === 0 || each.start >= all[index - 1]!.end);
}

/** Whether what is in a node runs after the module has been loaded. */
function isRunLater(node: Node): boolean {
  return /Function/.test(node.type) || (node.type === 'PropertyDefinition' && node['static'] !== true);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value;
}

/** Types, names from elsewhere, and messages. */
function isLeftAlone(node: Node): boolean {
  if (/^(?:Import|ExportAll)/.test(node.type)) return true;
  if (node.type.startsWith('TS')) return !/^TS(?:AsExpression|SatisfiesExpression|NonNullExpression)$/.test(node.type);
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return false;
  const callee = node['callee'] as Node;
  const object = callee.type === 'MemberExpression' ? (callee['object'] as Node) : callee;
  const name = (object.type === 'MemberExpression' ? (object['property'] as Node) : object)['name'];
  return typeof name === 'string' && MESSAGES.test(name);
}

/** Whether a literal stands for a value, and not for the name of a property or a type. */
function isValue(node: Node, parent: Node): boolean {
  if (parent.type.startsWith('TS')) return false;
  return !(parent['key'] === node);
}
