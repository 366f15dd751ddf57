import { Lexer, Parser } from 'yaml';

/** Entries on the parser's stack besides collections: the document and a scalar. */
const EXTRA_STACK_ENTRIES = 2;

/**
 * Returns whether a YAML text nests collections deeper than this, without building them: building is recursive, and a stack overflow inside
 * it may end the program.
 */
export function isNestedDeeper(yaml: string, depth: number): boolean {
  if (!mayNestDeeper(yaml, depth)) return false;
  const parser = new Parser();
  const most = depth + EXTRA_STACK_ENTRIES;
  for (const lexeme of new Lexer().lex(yaml)) {
    for (const _ of parser.next(lexeme)) if (parser.stack.length > most) return true;
    if (parser.stack.length > most) return true;
  }
  return false;
}

/** Returns whether there are enough brackets, indentation and marks for this depth. Decides nearly every text. */
function mayNestDeeper(yaml: string, depth: number): boolean {
  let brackets = 0;
  for (const bracket of yaml.matchAll(/[[{]/g)) {
    brackets += 1;
    if (bracket.index >= 0 && brackets > depth) return true;
  }
  // A list may be in the column of its key, hence two levels per column.
  for (const [start] of yaml.matchAll(/^(?:[ ?:-]|!\S*|&\S*)+/gm)) if (2 * (start.length + 1) > depth) return true;
  return false;
}

/** Returns whether more than `lines` consecutive lines are blank: gray-matter scans such a gap again from each of its lines. */
export function hasGapOver(yaml: string, lines: number): boolean {
  let blank = 0;
  for (const line of yaml.split(/\r\n|[\n\r\u2028\u2029]/)) {
    blank = line.trim() === '' ? blank + 1 : 0;
    if (blank > lines) return true;
  }
  return false;
}

/** Parses without stack traces for errors, of which a text may have tens of thousands. */
export function withoutStacks<T>(parse: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return parse();
  } finally {
    Error.stackTraceLimit = before;
  }
}
