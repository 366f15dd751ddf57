import { followHeadings, headingLink } from '../../note/body/heading-path.ts';
import type { OutlineHeading } from '../../note/note.ts';
import type { PartRenames } from './relinks.ts';

/** Rewrites links into one note whose headings or blocks are renamed. */
export class PartLinks {
  readonly #before: readonly OutlineHeading[];
  readonly #after: readonly OutlineHeading[];
  readonly #ids: ReadonlyMap<string, string>;
  /** Subpaths that cannot be rewritten: another heading has the name. */
  readonly stuck = new Set<string>();

  /** `texts`: new texts of headings by their index; `ids`: new ids of blocks by the old ones in lower case. */
  constructor(
    headings: readonly OutlineHeading[],
    { texts, ids }: { readonly texts: ReadonlyMap<number, string>; readonly ids: ReadonlyMap<string, string> },
  ) {
    this.#before = headings;
    this.#after = headings.map(({ level, text }, index) => ({ level, text: texts.get(index) ?? text }));
    this.#ids = ids;
  }

  /** Returns the new form of a subpath that leads to the same part; null if it does not change. */
  subpathAfter(subpath: string): string | null {
    const block = /^#\^(.+)$/.exec(subpath)?.[1];
    if (block !== undefined) {
      const id = this.#ids.get(block.trim().toLowerCase());
      return id === undefined ? null : `#^${id}`;
    }
    const through = followHeadings(this.#before, subpath);
    const target = through?.at(-1);
    if (through === null || target === undefined) return null;
    const written = subpath.split('#').slice(1);
    const named = through.map((index, at) => (this.#isRenamed(index) ? this.#nameOf(index) : (written[at] ?? '')));
    const found = [toSubpath(named), toSubpath(this.#wholePath(target))].find((candidate) => this.#leadsTo(candidate, target));
    if (found === undefined) this.stuck.add(subpath);
    return found === undefined || found === subpath ? null : found;
  }

  #isRenamed(index: number): boolean {
    return this.#before[index]?.text !== this.#after[index]?.text;
  }

  #nameOf(index: number): string {
    return headingLink(this.#after[index]?.text ?? '');
  }

  #leadsTo(subpath: string, target: number): boolean {
    return followHeadings(this.#after, subpath)?.at(-1) === target;
  }

  /** Returns the names of all headings above one, and its own: needed when another heading has the same name. */
  #wholePath(index: number): readonly string[] {
    const parent = parentOf(this.#after, index);
    return [...(parent === -1 ? [] : this.#wholePath(parent)), this.#nameOf(index)];
  }
}

function toSubpath(names: readonly string[]): string {
  return names.map((name) => `#${name}`).join('');
}

/** Returns the index of the parent heading, or -1. */
export function parentOf(headings: readonly OutlineHeading[], index: number): number {
  const level = headings[index]?.level ?? 0;
  let at = index - 1;
  while (at >= 0 && (headings[at]?.level ?? 0) >= level) at -= 1;
  return at;
}

/** Combines renamed parts of several notes, by the paths of the notes. */
export function partRenames(notes: ReadonlyMap<string, Pick<PartLinks, 'subpathAfter'>>): PartRenames {
  return { notes: notes.keys(), subpathAfter: (path, subpath) => notes.get(path)?.subpathAfter(subpath) ?? null };
}
