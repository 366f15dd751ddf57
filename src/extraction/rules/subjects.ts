import { sectionNameOf } from '../../note/body/section.ts';
import type { Heading } from '../../note/note.ts';
import { isWholeLink, readEntityName } from './entity-name.ts';
import type { TextLine } from './text-lines.ts';

/**
 * Whom relation lines speak of: the link that the item above them is, or the heading; else the episode's own entity (its name, or who
 * says it); else the heading of the first level. Where there is none of these, a line says nothing of anybody.
 */
export class Subjects {
  readonly #own: string | null;
  readonly #items: { readonly indent: number; readonly name: string }[] = [];
  /** Of the headings that the line at hand is below, from the outermost one. */
  readonly #headings: { readonly level: number; readonly linked: string | null; readonly title: string | null }[] = [];
  readonly #coming: readonly Heading[];
  #next = 0;

  /** `headings`: all of the text, in their order. */
  constructor(own: string | null, headings: readonly Heading[]) {
    this.#own = own;
    this.#coming = headings;
  }

  /** The subject of a line. Lines are asked about in their order, each once. */
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
