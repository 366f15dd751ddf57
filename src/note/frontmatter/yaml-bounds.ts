import { Lexer, Parser } from 'yaml';

/**
 * Whether a YAML text nests collections deeper than this, told without building them: what builds them calls itself for
 * each level, and where the stack ends in the middle of that, the program may end with it.
 */
export function isNestedDeeper(yaml: string, depth: number): boolean {
  if (!mayNestDeeper(yaml, depth)) return false;
  const parser = new Parser();
  const most = depth + BESIDE;
  for (const lexeme of new Lexer().lex(yaml)) {
    for (const _ of parser.next(lexeme)) if (parser.stack.length > most) return true;
    if (parser.stack.length > most) return true;
  }
  return false;
}

/** What the parser keeps on its stack besides collections: the document and a scalar. */
const BESIDE = 2;

/** Whether there are brackets, indentation and marks enough for so many levels. Nearly every text answers here. */
function mayNestDeeper(yaml: string, depth: number): boolean {
  let brackets = 0;
  for (const bracket of yaml.matchAll(/[[{]/g)) {
    brackets += 1;
    if (bracket.index >= 0 && brackets > depth) return true;
  }
  // A list may stand in the column of its key, hence two levels a column.
  for (const [start] of yaml.matchAll(/^(?:[ ?:-]|!\S*|&\S*)+/gm)) if (2 * (start.length + 1) > depth) return true;
  return false;
}

/** Whether more than so many lines in a row are blank: gray-matter looks through such a gap anew from each of its lines. */
export function hasGapOver(yaml: string, lines: number): boolean {
  let blank = 0;
  for (const line of yaml.split(/\r\n|[\n\r\u2028\u2029]/)) {
    blank = line.trim() === '' ? blank + 1 : 0;
    if (blank > lines) return true;
  }
  return false;
}

/** Parses without recording where in the program each fault of a text was found: a text may have tens of thousands of them. */
export function withoutStacks<T>(parse: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return parse();
  } finally {
    Error.stackTraceLimit = before;
  }
}
