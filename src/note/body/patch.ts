import { RouxError } from '../../errors.ts';
import { bodyStartOf } from '../frontmatter/read-frontmatter.ts';
import { applySplices, lineEnding } from '../text.ts';
import type { Splice } from '../text.ts';
import { findSection, headingPath, listSections, noSuchHeading, readName } from './find-heading.ts';
import type { Section } from './find-heading.ts';
import { headingKey } from './heading-path.ts';
import { replaceText } from './replace-text.ts';
import { needsGap } from './seams.ts';
import { readBodySections } from './section.ts';

/** A change of one part of a body, which is found by what stands there. `field` names it in errors. */
export type BodyPart =
  /** An exact text becomes another one: it stands there once, or `all` of them are meant. */
  | { readonly kind: 'replace'; readonly find: string; readonly by: string; readonly all: boolean; readonly field: string }
  /**
   * Text of its own lines at the start or end of the body, or of the section of a heading. `makes`: a heading that is missing is
   * made, at the end of the body or of the section above it. `isAbove`: the end is above the sections that tools keep there.
   */
  | {
      readonly kind: 'insert';
      readonly at: 'start' | 'end';
      readonly text: string;
      readonly under: string | null;
      readonly makes: boolean;
      readonly isAbove: boolean;
    }
  /** What stands below a heading, up to the next one of its level or above, becomes another text. */
  | { readonly kind: 'section'; readonly heading: string; readonly text: string };

/**
 * The text of a note with parts of its body changed (E-01 to E-07). Each part is found in the body as it is, never in the frontmatter,
 * and all are changed or none: `INVALID_PARAMS` where one is not found, stands there more than once, or two overlap. Line ends stay
 * those of the body. `isRepeat`: it may have been done before; what can be seen to stand there already is not done again.
 */
export function patchBody(text: string, parts: readonly BodyPart[], { isRepeat = false }: { readonly isRepeat?: boolean } = {}): string {
  const patch = new BodyPatch(text, isRepeat);
  const splices = parts.flatMap((part) => patch.splices(part));
  refuseOverlap(text, splices);
  const after = applySplices(text, splices);
  const [block, blockAfter] = [text, after].map((each) => each.slice(0, bodyStartOf(each)).trimEnd());
  if (block !== blockAfter) {
    throw new RouxError(
      'INVALID_PARAMS',
      'The body would begin with a block that is read as frontmatter; change that with properties and tags.',
    );
  }
  if (parts.every(({ kind }) => kind === 'insert')) mustStayRead(text, after, parts);
  return after;
}

/** Refuses insertions that change how what was there is read, and headings that are not read as such where they were made. */
function mustStayRead(before: string, after: string, parts: readonly BodyPart[]): void {
  const [sections, entries] = [listSections(after), entriesOf(after)];
  const names = sections.map(({ heading }) => heading.text);
  let at = -1;
  const isLost =
    listSections(before).some(({ heading }) => (at = names.indexOf(heading.text, at + 1)) < 0) ||
    [...entriesOf(before)].some((entry) => !entries.has(entry)) ||
    parts.some((part) => part.kind === 'insert' && part.makes && part.under !== null && !hasHeading(sections, part.under));
  if (!isLost) return;
  throw new RouxError(
    'INVALID_PARAMS',
    'The text would change how what stands beside it is read, or not be read as it is meant: a code block, comment or quote is open there, or a heading cannot be called so. Close it, or use edits.',
  );
}

function hasHeading(sections: readonly Section[], name: string): boolean {
  try {
    return findSection(sections, name, 'under') !== null;
  } catch {
    // Several are there.
    return true;
  }
}

/** What stands in the sections of tools. */
function entriesOf(text: string): ReadonlySet<string> {
  const { Observations, Relations } = readBodySections(text);
  return new Set([Observations, Relations].flatMap((section) => section?.entries.map(({ line }) => line) ?? []));
}

class BodyPatch {
  readonly #text: string;
  readonly #isRepeat: boolean;
  readonly #bodyStart: number;
  readonly #eol: string;
  #sections: readonly Section[] | null = null;

  constructor(text: string, isRepeat: boolean) {
    this.#text = text;
    this.#isRepeat = isRepeat;
    this.#bodyStart = bodyStartOf(text);
    const body = text.slice(this.#bodyStart, this.#bodyStart + EOL_WINDOW);
    this.#eol = lineEnding(/[\r\n]/.test(body) ? body : text);
  }

  splices(part: BodyPart): readonly Splice[] {
    if (part.kind === 'replace') {
      return replaceText(this.#text, { ...part, bodyStart: this.#bodyStart, eol: this.#eol, isRepeat: this.#isRepeat });
    }
    return (part.kind === 'section' ? this.#replaceSection(part) : this.#insert(part)).map((splice) => this.#apart(splice));
  }

  #insert({ at, text, under, makes, isAbove }: Extract<BodyPart, { kind: 'insert' }>): readonly Splice[] {
    const lines = this.#lines(text);
    if (lines === '') return [];
    if (under === null) return this.#unlessThere(lines, at === 'start' ? this.#atStart(lines) : this.#atEnd(lines, isAbove));
    const section = this.#find(under, 'under');
    if (section !== null) {
      const place = at === 'start' ? section.headingEnd : this.#lastOf(section.headingEnd, section.end);
      return this.#unlessThere(lines, { start: place, end: place, text: this.#eol + lines });
    }
    if (!makes) throw noSuchHeading(this.#all(), under, { field: 'under', hint: ' create: true makes it.' });
    return [this.#makeHeadings(under, lines)];
  }

  #atStart(lines: string): Splice {
    const start = this.#bodyStart;
    const lead = this.#startsLine(start) ? '' : this.#eol;
    const isAll = this.#text.slice(start).trim() === '';
    return { start, end: start, text: `${lead}${lines}${isAll && this.#text.length > start ? '' : this.#eol}` };
  }

  #atEnd(lines: string, isAbove: boolean): Splice {
    const text = this.#text;
    const tools = isAbove ? this.#toolSections() : null;
    if (tools !== null) {
      const place = this.#lastOf(this.#bodyStart, tools);
      const isFirst = place === this.#bodyStart;
      return { start: place, end: place, text: isFirst ? `${lines}${this.#eol}${this.#eol}` : `${this.#eol}${lines}` };
    }
    const end = text.length;
    if (this.#startsLine(end)) return { start: end, end, text: lines + this.#eol };
    return { start: end, end, text: `${this.#eol}${lines}${end === this.#bodyStart ? this.#eol : ''}` };
  }

  /** Where the sections that tools keep begin, behind which no prose stands. */
  #toolSections(): number | null {
    const { Observations, Relations } = readBodySections(this.#text);
    const starts = [Observations, Relations].flatMap((section) => (section === null ? [] : [section.heading.start]));
    return starts.length === 0 ? null : Math.min(...starts);
  }

  /** A heading that is missing, with those above it that are, and text below it. */
  #makeHeadings(name: string, lines: string): Splice {
    const path = headingPath(name);
    let above: Section | null = null;
    let missing = 0;
    for (let length = path.length - 1; length > 0 && above === null; length -= 1) {
      above = this.#find(path.slice(0, length).join(' > '), 'under');
      missing = length;
    }
    const names = above === null ? path : path.slice(missing);
    const first: number = above === null ? 2 : above.heading.level + 1;
    const headings = names.map((each, index) => {
      const { level, text } = readName(each);
      if (text === '' || /[\r\n]/.test(text)) {
        throw new RouxError('INVALID_PARAMS', `under: ${JSON.stringify(name)} cannot be a heading; use one line with words in it.`, {
          field: 'under',
        });
      }
      return `${'#'.repeat(Math.min(6, level ?? first + index))} ${text}`;
    });
    const eol = this.#eol;
    const block = `${headings.join(eol + eol)}${eol}${eol}${lines}`;
    const [from, to] = above === null ? [this.#bodyStart, this.#text.length] : [above.headingEnd, above.end];
    const place = this.#lastOf(from, to);
    if (above === null && place === this.#bodyStart) return this.#atEnd(block, false);
    return { start: place, end: place, text: `${eol}${eol}${block}` };
  }

  #replaceSection({ heading, text }: Extract<BodyPart, { kind: 'section' }>): readonly Splice[] {
    const section = this.#find(heading, 'section.heading');
    if (section === null)
      throw noSuchHeading(this.#all(), heading, { field: 'section.heading', hint: ' append with under and create makes one.' });
    const lines = this.#lines(withoutHeading(text, section));
    const inside = this.#text.slice(section.headingEnd, section.end);
    const last = this.#lastOf(section.headingEnd, section.end);
    if (last === section.headingEnd) {
      return lines === '' ? [] : [{ start: last, end: last, text: this.#eol + lines }];
    }
    const lead = /^(?:[ \t]*(?:\r\n|\n|\r))+/.exec(inside)?.[0] ?? '';
    if (lines === '') return [{ start: section.headingEnd, end: last, text: '' }];
    return [{ start: section.headingEnd + lead.length, end: last, text: lines }];
  }

  /** An insertion with a blank line where it, or what stands beside it, would be read otherwise without one. */
  #apart({ start, end, text }: Splice): Splice {
    const lines = text.replace(/^(?:\r\n|\n|\r)+|(?:\r\n|\n|\r)+$/g, '');
    if (lines === '') return { start, end, text };
    const above = this.#text.slice(Math.max(this.#bodyStart, start - NEIGHBOR), start).replace(/(?:\r\n|\n|\r)$/, '');
    const rest = this.#text.slice(end, end + NEIGHBOR);
    const below = /[\r\n]$/.test(text) ? rest : rest.replace(/^(?:\r\n|\n|\r)/, '');
    const isFirst = /^(?:\r\n|\n|\r){2}/.test(text) || !needsGap(above, lines);
    return { start, end, text: `${isFirst ? '' : this.#eol}${text}${needsGap(lines, below) ? this.#eol : ''}` };
  }

  /** After a crash nobody can tell whether a text was put there before a person saved: it is put there at most once. */
  #unlessThere(lines: string, splice: Splice): readonly Splice[] {
    return this.#isRepeat && this.#text.includes(lines, this.#bodyStart) ? [] : [splice];
  }

  /** Where the last line in a stretch ends that is not blank; its start where all are. */
  #lastOf(start: number, end: number): number {
    return start + this.#text.slice(start, end).trimEnd().length;
  }

  #startsLine(at: number): boolean {
    return at === 0 || /[\n\r]/.test(this.#text[at - 1] ?? '') || (at === 1 && this.#text.startsWith('\ufeff'));
  }

  /** Text as it stands between the lines of this body. */
  #lines(text: string): string {
    return text.replace(/(?:\r\n|\n|\r)+$/, '').replace(/\r\n|\n|\r/g, this.#eol);
  }

  #all(): readonly Section[] {
    return (this.#sections ??= listSections(this.#text));
  }

  #find(name: string, field: string): Section | null {
    return findSection(this.#all(), name, field);
  }
}

/** So much of a body is looked at for its line ends. */
const EOL_WINDOW = 100_000;
/** So much of what stands beside an insertion is looked at. */
const NEIGHBOR = 4_000;
/** So much of a place is shown in a message. */
const MOST_SHOWN = 60;

/** Content of a section that repeats its heading: the heading stands there already. */
function withoutHeading(text: string, { heading }: Section): string {
  const [line = ''] = /^[^\r\n]*/.exec(text.trimStart()) ?? [];
  const { level, text: name } = readName(line);
  if (level !== heading.level || headingKey(name) !== headingKey(heading.text)) return text;
  return text
    .trimStart()
    .slice(line.length)
    .replace(/^(?:[ \t]*(?:\r\n|\n|\r))+/, '');
}

function refuseOverlap(text: string, splices: readonly Splice[]): void {
  let end = -1;
  for (const splice of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (splice.start < end) {
      const shown = JSON.stringify(text.slice(splice.start, splice.start + MOST_SHOWN));
      throw new RouxError(
        'INVALID_PARAMS',
        `Two of the changes overlap at ${shown}; join them into one, or send them one after the other.`,
      );
    }
    end = Math.max(end, splice.end);
  }
}
