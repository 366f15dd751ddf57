/** The status of a required line in a file that git reads. */
export type LineStatus =
  | { readonly kind: 'there' | 'missing' }
  /** Another line deliberately contradicts it. */
  | { readonly kind: 'contradicted'; readonly by: string };

const WILD = /[*?[\]\\]/;

/** Returns the status of a merge attribute in `.gitattributes`; of the lines that match a file, git applies the last. */
export function attributeStatus(text: string, line: string): LineStatus {
  const [wanted] = readRules(line);
  if (wanted === undefined) throw new Error(`${line} is no attribute`);
  let isPresent = false;
  let by: string | null = null;
  for (const rule of readRules(text)) {
    if (!canOverlap(rule.pattern, wanted.pattern)) continue;
    const isCovering = covers(rule.pattern, wanted.pattern);
    if (rule.merge === wanted.merge) {
      if (isCovering) [isPresent, by] = [true, null];
    } else if (isCovering || !isPresent) {
      // A later line that matches some of the files is a deliberate exception.
      [isPresent, by] = [false, rule.line];
    }
  }
  if (by !== null) return { kind: 'contradicted', by };
  return { kind: isPresent ? 'there' : 'missing' };
}

/** Returns the status of a line of `.gitignore`; a later negation contradicts it. */
export function ignoreStatus(text: string, line: string): LineStatus {
  let status: LineStatus = { kind: 'missing' };
  for (const own of linesOf(text)) {
    if (own === line) status = { kind: 'there' };
    else if (own.startsWith('!') && [bareName(line), '*', '**'].includes(bareName(own.slice(1))))
      status = { kind: 'contradicted', by: own };
  }
  return status;
}

function bareName(pattern: string): string {
  return pattern.replace(/^(?:\*\*)?\//, '').replace(/\/$/, '');
}

/** A merge rule in `.gitattributes`. */
interface Rule {
  readonly line: string;
  readonly pattern: string;
  /** Name of the driver, or `set`, `-` (not merged) or `!` (unspecified). */
  readonly merge: string;
}

function readRules(text: string): readonly Rule[] {
  const rules: Rule[] = [];
  // Macros; git defines this one itself.
  const macros = new Map([['binary', '-']]);
  for (const line of linesOf(text)) {
    const [, macro] = /^\[attr\](\S+)/.exec(line) ?? [];
    const pattern = macro ?? /^"(?:[^"\\]|\\.)*"|^\S+/.exec(line)?.[0] ?? '';
    let merge: string | undefined;
    for (const word of line.slice(line.indexOf(pattern) + pattern.length).split(/\s+/))
      merge = readMerge(word) ?? macros.get(word) ?? merge;
    // Git does not allow negated patterns.
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
  // Bytes are characters here, so a byte-order mark has three.
  const lines = text.replace(/^\u00ef\u00bb\u00bf/, '').split(/\r?\n/);
  return lines.map((line) => line.trim().split(/\s+/).join(' ')).filter((line) => line !== '' && !line.startsWith('#'));
}

/** Returns whether a pattern matches all files of another one. */
function covers(pattern: string, wanted: string): boolean {
  return pattern.replace(/^\*\*\//, '') === wanted || /^(?:\*\*\/)*\*+$/.test(pattern);
}

/** Returns whether some file may match both patterns; true if in doubt. */
function canOverlap(pattern: string, wanted: string): boolean {
  const head = headOf(pattern);
  const wantedHead = headOf(wanted);
  if (!head.startsWith(wantedHead) && !wantedHead.startsWith(head)) return false;
  const tail = tailOf(pattern);
  const wantedTail = tailOf(wanted);
  return tail.endsWith(wantedTail) || (WILD.test(lastSegment(pattern)) && wantedTail.endsWith(tail));
}

/** Returns the literal prefix of the paths that match a pattern. */
function headOf(pattern: string): string {
  const anchored = pattern.replace(/^\//, '');
  // Without a slash it matches at any depth.
  if (!pattern.slice(0, -1).includes('/')) return '';
  const wild = WILD.exec(anchored);
  return wild === null ? anchored : anchored.slice(0, wild.index);
}

/** Returns the literal suffix of the names that match a pattern. */
function tailOf(pattern: string): string {
  const segment = lastSegment(pattern);
  return segment.slice(Math.max(...['*', '?', '[', ']', '\\'].map((sign) => segment.lastIndexOf(sign))) + 1);
}

function lastSegment(pattern: string): string {
  return pattern.slice(pattern.lastIndexOf('/') + 1);
}
