import { bodyStartOf } from '../frontmatter/read-frontmatter.ts';
import { countLines, detach } from '../text.ts';
import { NoInline } from '../body/outer-blocks.ts';
import { BlockScanner } from '../markdown/scan.ts';

/** A task in the body of a note: a list item that begins with a box. */
export interface Checkbox {
  /** The line in the file, from 0. */
  readonly line: number;
  /** The text of that line. */
  readonly source: string;
  /** The character in the box: a space is open, `x` is done, others are states of people's own. */
  readonly state: string;
  /** The text after the box. */
  readonly text: string;
  /** The heading above it; `''` for none. */
  readonly section: string;
}

const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\]\r\n])\](?:[ \t]+(.*))?$/u;
/** A text without a match has no task, so most notes need not be scanned. */
const MAYBE = /[-*+.)][ \t]+\[[^\]\r\n]\]/u;

/** Reads the tasks of a note, in order. Boxes in code, HTML and formulas are text. */
export function readCheckboxes(text: string): readonly Checkbox[] {
  if (!MAYBE.test(text)) return [];
  const found: Checkbox[] = [];
  let line = countLines(text, 0, bodyStartOf(text)) - 1;
  let section = '';
  new BlockScanner(text, new NoInline(), {
    heading: (heading) => void (section = heading.text),
    paragraph: () => undefined,
    line({ start, end }, _outer, { isText }) {
      line += 1;
      const [, state, rest = ''] = (isText ? ITEM.exec(text.slice(start, end)) : null) ?? [];
      if (state === undefined) return;
      found.push({ line, source: detach(text.slice(start, end)), state, text: detach(rest), section: detach(section) });
    },
  }).scan();
  return found;
}
