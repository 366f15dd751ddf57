/** What a text that git reads says to a line that it has to have. */
export type Standing =
  | { readonly kind: 'there' | 'missing' }
  /** Another line says the contrary, and was written on purpose. */
  | { readonly kind: 'contradicted'; readonly by: string };

/** How a line of `.gitattributes` about merging stands in a text of attributes: git takes the last one that fits a file. */
export function standingOfAttribute(text: string, line: string): Standing {
  const [wanted] = readRules(line);
  if (wanted === undefined) throw new Error(`${line} is no attribute`);
  let isThere = false;
  let by: string | null = null;
  for (const rule of readRules(text)) {
    if (!mayMeet(rule.pattern, wanted.pattern)) continue;
    const isWhole = covers(rule.pattern, wanted.pattern);
    if (rule.merge === wanted.merge) {
      if (isWhole) [isThere, by] = [true, null];
    } else if (isWhole || !isThere) {
      // One that fits some of the files only, below ours, is an exception that somebody made.
      [isThere, by] = [false, rule.line];
    }
  }
  if (by !== null) return { kind: 'contradicted', by };
  return { kind: isThere ? 'there' : 'missing' };
}

/** How a line of `.gitignore` stands in one: what a later line takes back is not ignored. */
export function standingOfIgnore(text: string, line: string): Standing {
  let standing: Standing = { kind: 'missing' };
  for (const own of linesOf(text)) {
    if (own === line) standing = { kind: 'there' };
    else if (own.startsWith('!') && [bareName(line), '*', '**'].includes(bareName(own.slice(1))))
      standing = { kind: 'contradicted', by: own };
  }
  return standing;
}

function bareName(pattern: string): string {
  return pattern.replace(/^(?:\*\*)?\//, '').replace(/\/$/, '');
}

/** A line of `.gitattributes` that says how files are merged. */
interface Rule {
  readonly line: string;
  readonly pattern: string;
  /** A driver's name, or `set`, `-` (not merged) or `!` (as where nothing is said). */
  readonly merge: string;
}

function readRules(text: string): readonly Rule[] {
  const rules: Rule[] = [];
  // Attributes that stand for others; this one git knows by itself.
  const macros = new Map([['binary', '-']]);
  for (const line of linesOf(text)) {
    const [, macro] = /^\[attr\](\S+)/.exec(line) ?? [];
    const pattern = macro ?? /^"(?:[^"\\]|\\.)*"|^\S+/.exec(line)?.[0] ?? '';
    let merge: string | undefined;
    for (const word of line.slice(line.indexOf(pattern) + pattern.length).split(/\s+/))
      merge = readMerge(word) ?? macros.get(word) ?? merge;
    // Git takes no pattern that is negated.
    if (merge === undefined || pattern.startsWith('!')) continue;
    if (macro === undefined) rules.push({ line, pattern: pattern.replace(/^"(.*)"$/, '$1').toLowerCase(), merge });
    else macros.set(macro, merge);
  }
  return rules;
}

function readMerge(word: string): string | undefined {
  const [, sign = '', value = 'set'] = /^([-!]?)merge(?:=(.*))?$/.exec(word) ?? ['', undefined];
  return word === '' || !/^[-!]?merge(?:=|$)/.test(word) ? undefined : sign === '' ? value : sign;
}

function linesOf(text: string): readonly string[] {
  // Bytes are read as characters here, a byte-order mark as three.
  const lines = text.replace(/^\u00ef\u00bb\u00bf/, '').split(/\r?\n/);
  return lines.map((line) => line.trim().split(/\s+/).join(' ')).filter((line) => line !== '' && !line.startsWith('#'));
}

/** Whether a pattern fits every file that the wanted one does. */
function covers(pattern: string, wanted: string): boolean {
  return pattern.replace(/^\*\*\//, '') === wanted || /^(?:\*\*\/)*\*+$/.test(pattern);
}

/** Whether some file may fit both; in doubt it does. */
function mayMeet(pattern: string, wanted: string): boolean {
  const head = headOf(pattern);
  const wantedHead = headOf(wanted);
  if (!head.startsWith(wantedHead) && !wantedHead.startsWith(head)) return false;
  const tail = tailOf(pattern);
  const wantedTail = tailOf(wanted);
  return tail.endsWith(wantedTail) || (WILD.test(lastSegment(pattern)) && wantedTail.endsWith(tail));
}

const WILD = /[*?[\]\\]/;

/** What the path of each file begins with that fits a pattern. */
function headOf(pattern: string): string {
  const anchored = pattern.replace(/^\//, '');
  // Without a slash it fits at any depth.
  if (!pattern.slice(0, -1).includes('/')) return '';
  const wild = WILD.exec(anchored);
  return wild === null ? anchored : anchored.slice(0, wild.index);
}

/** What the name of each file ends with that fits a pattern. */
function tailOf(pattern: string): string {
  const segment = lastSegment(pattern);
  return segment.slice(Math.max(...['*', '?', '[', ']', '\\'].map((sign) => segment.lastIndexOf(sign))) + 1);
}

function lastSegment(pattern: string): string {
  return pattern.slice(pattern.lastIndexOf('/') + 1);
}
