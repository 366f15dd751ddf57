import { RouxError } from '../../errors.ts';
import { bodyStartOf } from '../frontmatter/read-frontmatter.ts';
import type { Span } from '../note.ts';
import { applySplices, inOrder, lineEnding } from '../text.ts';
import type { Splice } from '../text.ts';
import { findSection, headingPath, listSections, noSuchHeading, readName, withoutHeading } from './find-heading.ts';
import type { Section } from './find-heading.ts';
import { replaceText } from './replace-text.ts';
import { areBeside, needsGap } from './block-boundaries.ts';
import { readBodySections } from './section.ts';
import { whyMisread } from './verify-edit.ts';
import type { PartSplice } from './verify-edit.ts';

/** A change of one part of a body, found by its content. `field` names it in errors. */
export type BodyPart =
  /** Replaces an exact text, which must be unique unless `all` is set. */
  | { readonly kind: 'replace'; readonly find: string; readonly by: string; readonly all: boolean; readonly field: string }
  /**
   * Inserts lines at the start or end of the body, or of a heading's section. `makes`: a missing heading is created, at the end of the body
   * or of the section above it. `isAbove`: the end is above the sections that tools maintain there.
   */
  | {
      readonly kind: 'insert';
      readonly at: 'start' | 'end';
      readonly text: string;
      readonly under: string | null;
      readonly makes: boolean;
      readonly isAbove: boolean;
    }
  /** Replaces the content of a heading, up to the next one of its level or above. */
  | { readonly kind: 'section'; readonly heading: string; readonly text: string };

/** Characters of a body examined for its line ends. */
const EOL_WINDOW_CHARACTERS = 100_000;
/** Characters examined beside an insertion. */
const MAX_NEIGHBOR_CHARACTERS = 4_000;

/**
 * Changes parts of a note's body (E-01 to E-07). Each part is located in the original body, never in the frontmatter, and all are changed
 * or none: throws `INVALID_PARAMS` when one is missing or ambiguous, or two overlap. Line ends stay those of the body. `isRepeat`: it may
 * have been done before; what is already there is not done again.
 */
export function patchBody(text: string, parts: readonly BodyPart[], { isRepeat = false }: { readonly isRepeat?: boolean } = {}): string {
  const patch = new BodyPatch(text, isRepeat);
  const splices = inOrder(parts.flatMap((part) => patch.splices(part)));
  refuseOverlap(text, splices);
  const tries = splices.some(({ isLines }) => isLines) ? [needsGap, areBeside] : [needsGap];
  let why: string | null = null;
  for (const isGap of tries) {
    const apart = setApart(text, splices, { bodyStart: patch.bodyStart, eol: patch.eol, isGap });
    const after = applySplices(text, apart);
    refuseNewBlock(text, after);
    const misread = whyMisread(text, after, apart) ?? whyNotMade(after, parts);
    if (misread === null) return after;
    why ??= misread;
  }
  throw new RouxError('INVALID_PARAMS', why ?? '');
}

function refuseNewBlock(before: string, after: string): void {
  const [block, blockAfter] = [before, after].map((each) => each.slice(0, bodyStartOf(each)).trimEnd());
  if (block === blockAfter) return;
  throw new RouxError(
    'INVALID_PARAMS',
    'The body would begin with a block that is read as frontmatter; change that with properties and tags.',
  );
}

/** Returns why created headings are not parsed as such; null when they are. */
function whyNotMade(after: string, parts: readonly BodyPart[]): string | null {
  const made = parts.flatMap((part) => (part.kind === 'insert' && part.makes && part.under !== null ? [part.under] : []));
  if (made.length === 0) return null;
  const sections = listSections(after);
  const missing = made.find((name) => !hasHeading(sections, name));
  return missing === undefined
    ? null
    : `under: the note would change how ${JSON.stringify(missing)} is read; a heading cannot be called so.`;
}

function hasHeading(sections: readonly Section[], name: string): boolean {
  try {
    return findSection(sections, name, 'under') !== null;
  } catch {
    // Several exist.
    return true;
  }
}

/** Adds blank lines around inserted lines where they and their neighbors need them. */
function setApart(
  text: string,
  splices: readonly PartSplice[],
  { bodyStart, eol, isGap }: { readonly bodyStart: number; readonly eol: string; readonly isGap: typeof needsGap },
): readonly PartSplice[] {
  const apart = [...splices];
  for (const [index, splice] of splices.entries()) {
    const lines = splice.text.replace(/^[\r\n]+|(?<![\r\n])[\r\n]+$/g, '');
    if (!splice.isLines || lines === '') continue;
    const { start, end } = splice;
    const head = splicedWithin(text, { start: Math.max(bodyStart, start - MAX_NEIGHBOR_CHARACTERS), end: start }, apart.slice(0, index));
    const above = /^[\r\n]/.test(splice.text) ? head : head.replace(/(?:\r\n|\n|\r)$/, '');
    const rest = splicedWithin(text, { start: end, end: end + MAX_NEIGHBOR_CHARACTERS }, apart.slice(index + 1));
    const below = /[\r\n]$/.test(splice.text) ? rest : rest.replace(/^(?:\r\n|\n|\r)/, '');
    const isFirst = /^(?:\r\n|\n|\r){2}/.test(splice.text) || !isGap(above, lines);
    apart[index] = { ...splice, text: `${isFirst ? '' : eol}${splice.text}${isGap(lines, below) ? eol : ''}` };
  }
  return apart;
}

/** Returns a range of a text with the splices inside it applied. */
function splicedWithin(text: string, { start, end }: Span, splices: readonly Splice[]): string {
  const within = splices.filter((splice) => splice.start >= start && splice.end <= end);
  return applySplices(
    text.slice(start, end),
    within.map((splice) => ({ ...splice, start: splice.start - start, end: splice.end - start })),
  );
}

class BodyPatch {
  readonly #text: string;
  readonly #isRepeat: boolean;
  readonly bodyStart: number;
  readonly eol: string;
  #sections: readonly Section[] | null = null;
  /** Starts of the tools' sections, once they were asked for: an entity may have a hundred thousand items to read. */
  #toolStarts: readonly number[] | null = null;
  /** Headings created by a part, below which later parts with the name go. */
  readonly #made = new Map<string, Splice>();

  constructor(text: string, isRepeat: boolean) {
    this.#text = text;
    this.#isRepeat = isRepeat;
    this.bodyStart = bodyStartOf(text);
    const body = text.slice(this.bodyStart, this.bodyStart + EOL_WINDOW_CHARACTERS);
    this.eol = lineEnding(/[\r\n]/.test(body) ? body : text);
  }

  splices(part: BodyPart): readonly PartSplice[] {
    const isLines = part.kind !== 'replace';
    return this.#splices(part).map((splice) => ({ ...splice, isLines }));
  }

  #splices(part: BodyPart): readonly Splice[] {
    if (part.kind === 'section') return this.#replaceSection(part);
    if (part.kind === 'insert') return this.#insert(part);
    return replaceText(this.#text, { ...part, bodyStart: this.bodyStart, eol: this.eol, isRepeat: this.#isRepeat });
  }

  #insert({ at, text, under, makes, isAbove }: Extract<BodyPart, { kind: 'insert' }>): readonly Splice[] {
    const lines = this.#lines(text);
    if (lines === '') return [];
    if (under === null) return this.#unlessThere(lines, at === 'start' ? this.#atStart(lines) : this.#atEnd(lines, isAbove));
    const section = this.#find(under, 'under');
    if (section !== null) {
      const place = at === 'start' ? section.headingEnd : this.#endOf(section.headingEnd, section.end, isAbove);
      return this.#unlessThere(lines, { start: place, end: place, text: this.eol + lines });
    }
    if (!makes) throw noSuchHeading(this.#all(), under, { field: 'under', hint: ' create: true makes it.' });
    const made = this.#made.get(under);
    if (made !== undefined) return [{ ...made, text: /[\r\n]$/.test(made.text) ? lines + this.eol : this.eol + lines }];
    const splice = this.#makeHeadings(under, lines, isAbove);
    this.#made.set(under, splice);
    return [splice];
  }

  #atStart(lines: string): Splice {
    const start = this.bodyStart;
    const lead = this.#startsLine(start) ? '' : this.eol;
    const isAll = this.#text.slice(start).trim() === '';
    return { start, end: start, text: `${lead}${lines}${isAll && this.#text.length > start ? '' : this.eol}` };
  }

  #atEnd(lines: string, isAbove: boolean): Splice {
    const text = this.#text;
    const end = text.length;
    if (isAbove && this.#toolsAfter(this.bodyStart) !== null) {
      const place = this.#endOf(this.bodyStart, end, isAbove);
      const isFirst = place === this.bodyStart;
      return { start: place, end: place, text: isFirst ? `${lines}${this.eol}${this.eol}` : `${this.eol}${lines}` };
    }
    if (this.#startsLine(end)) return { start: end, end, text: lines + this.eol };
    return { start: end, end, text: `${this.eol}${lines}${end === this.bodyStart ? this.eol : ''}` };
  }

  /** Returns the start of the first tools' section at or after an offset, after which there is no prose; null for none. */
  #toolsAfter(from: number): number | null {
    if (this.#toolStarts === null) {
      const { Observations, Relations } = readBodySections(this.#text);
      this.#toolStarts = [Observations, Relations].flatMap((section) => (section === null ? [] : [section.heading.start]));
    }
    const after = this.#toolStarts.filter((start) => start >= from);
    return after.length === 0 ? null : Math.min(...after);
  }

  /** Returns the end of the text in a range; `isAbove`: of the text above the tools' sections. */
  #endOf(start: number, end: number, isAbove: boolean): number {
    const tools = isAbove ? this.#toolsAfter(start) : null;
    return this.#lastOf(start, tools === null ? end : Math.min(end, tools));
  }

  /** Creates a missing heading, with missing parents and text below it. */
  #makeHeadings(name: string, lines: string, isAbove: boolean): Splice {
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
    const eol = this.eol;
    const block = `${headings.join(eol + eol)}${eol}${eol}${lines}`;
    const [from, to] = above === null ? [this.bodyStart, this.#text.length] : [above.headingEnd, above.end];
    const place = this.#endOf(from, to, isAbove);
    if (above === null && place === this.bodyStart) return this.#atEnd(block, isAbove);
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
      return lines === '' ? [] : [{ start: last, end: last, text: this.eol + lines }];
    }
    const lead = /^(?:[ \t]*(?:\r\n|\n|\r))+/.exec(inside)?.[0] ?? '';
    if (lines === '') return [{ start: section.headingEnd, end: last, text: '' }];
    return [{ start: section.headingEnd + lead.length, end: last, text: lines }];
  }

  /** Inserts at most once: after a crash it is unknown whether a text was inserted before a person saved. */
  #unlessThere(lines: string, splice: Splice): readonly Splice[] {
    return this.#isRepeat && this.#text.includes(lines, this.bodyStart) ? [] : [splice];
  }

  /** Returns the end of the last non-blank line in a range; its start when all are blank. */
  #lastOf(start: number, end: number): number {
    return start + this.#text.slice(start, end).trimEnd().length;
  }

  #startsLine(at: number): boolean {
    return at === 0 || /[\n\r]/.test(this.#text[at - 1] ?? '') || (at === 1 && this.#text.startsWith('\ufeff'));
  }

  /** Converts a text to lines with the line ends of this body. */
  #lines(text: string): string {
    return text.replace(/(?<![\r\n])[\r\n]+$/, '').replace(/\r\n|\n|\r/g, this.eol);
  }

  #all(): readonly Section[] {
    return (this.#sections ??= listSections(this.#text));
  }

  #find(name: string, field: string): Section | null {
    return findSection(this.#all(), name, field);
  }
}

const MAX_SHOWN_CHARACTERS = 60;

function refuseOverlap(text: string, splices: readonly Splice[]): void {
  let end = -1;
  for (const splice of splices) {
    if (splice.start < end) {
      const shown = JSON.stringify(text.slice(splice.start, splice.start + MAX_SHOWN_CHARACTERS));
      throw new RouxError(
        'INVALID_PARAMS',
        `Two of the changes overlap at ${shown}; join them into one, or send them one after the other.`,
      );
    }
    end = Math.max(end, splice.end);
  }
}
