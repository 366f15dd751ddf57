import { sectionNameOf } from '../../note/body/section.ts';
import type { Heading } from '../../note/note.ts';
import { isWholeLink, readEntityName } from './entity-name.ts';
import type { TextLine } from './text-lines.ts';

/**
 * Determines the subjects of relation lines: the link in the parent list item or in the heading; else the episode's own entity (its name or
 * its speaker); else the first-level heading. Without any of these, a line has no subject.
 */
export class Subjects {
  readonly #own: string | null;
  readonly #items: { readonly indent: number; readonly name: string }[] = [];
  /** The headings above the current line, outermost first. */
  readonly #headings: { readonly level: number; readonly linked: string | null; readonly title: string | null }[] = [];
  readonly #coming: readonly Heading[];
  #next = 0;

  /** `own` is the episode's own entity; `headings` are those of the whole text, in order. */
  constructor(own: string | null, headings: readonly Heading[]) {
    this.#own = own;
    this.#coming = headings;
  }

  /** Returns the subject of a line; null if it has none. Must be called once for each line, in order. */
  of(line: TextLine): string | null {
    for (let next = this.#coming[this.#next]; next !== undefined && next.start < line.start; next = this.#coming[++this.#next])
      this.#enter(next);
    while (line.indent <= (this.#items.at(-1)?.indent ?? -1)) this.#items.pop();
    const above = this.#items.at(-1)?.name;
    const item = line.text.replace(/:$/, '');
    const name = line.isItem && isWholeLink(item) ? readEntityName(item) : null;
    if (name !== null) this.#items.push({ indent: line.indent, name });
    return above ?? this.#headings.findLast(({ linked }) => linked !== null)?.linked ?? this.#own ?? this.#headings[0]?.title ?? null;
  }

  #enter(heading: Heading): void {
    this.#items.length = 0;
    while ((this.#headings.at(-1)?.level ?? 0) >= heading.level) this.#headings.pop();
    const linked = isWholeLink(heading.text) ? readEntityName(heading.text) : null;
    const title = heading.level === 1 && sectionNameOf(heading.text) === null ? readEntityName(heading.text) : null;
    this.#headings.push({ level: heading.level, linked, title });
  }
}

/** Whether a line is directly below a heading "Relations". */
export function isSectionLine({ heading }: TextLine): boolean {
  return heading !== null && sectionNameOf(heading.text) === 'Relations';
}
