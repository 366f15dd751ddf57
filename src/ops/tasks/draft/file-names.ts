import { RouxError } from '../../../errors.ts';
import type { GraphView } from '../../../graph/view.ts';
import { baseName, fileNameFor, foldKey, toNotePath } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';

/** Longer file names are hard to read in a file list. */
const MAX_STEM_CHARACTERS = 60;
/** The end of a task's id that ends its file name in a git repository: one of 33 million. */
export const MARK_CHARACTERS = 5;

/** Chooses file names for new tasks such that each can be linked to by its bare name from anywhere in the vault. */
export class FileNames {
  readonly #graph: GraphView;
  readonly #style: 'slug' | 'title';
  readonly #taken = new Set<string>();
  /** The next number to try for a taken name, so that a thousand tasks with one summary do not each count from 2. */
  readonly #next = new Map<string, number>();

  constructor(graph: GraphView, style: 'slug' | 'title') {
    this.#graph = graph;
    this.#style = style;
  }

  /**
   * Chooses and reserves a new path in the folder for this summary. `mark`: ends the name, so that two branches never give one name to two
   * notes.
   */
  choose(folder: string, summary: string, mark: string | null = null): NotePath {
    const stem = baseName(fileNameFor(mark === null ? toStem(summary) : `${toStem(summary)} ${mark}`, this.#style));
    const key = foldKey(stem);
    for (let number = this.#next.get(key) ?? 1; ; number += 1) {
      const candidate = number === 1 ? stem : `${stem}${this.#style === 'slug' ? '-' : ' '}${number}`;
      const path = toNotePath(`${folder}/${candidate}.md`);
      if (path === null) throw new RouxError('validation_error', `No file can be made for "${summary}" in ${folder}.`);
      if (this.#taken.has(foldKey(candidate)) || this.#graph.resolve({ linkpath: candidate, from: path }).kind !== 'unresolved') continue;
      this.#next.set(key, number + 1);
      this.#taken.add(foldKey(candidate));
      return path;
    }
  }
}

/** Truncates the summary between words; `%%` would start a comment in a link. */
function toStem(summary: string): string {
  const line = summary.replaceAll('%%', ' ').replace(/\s+/gu, ' ').trim();
  if (line.length <= MAX_STEM_CHARACTERS) return line;
  const space = line.slice(0, MAX_STEM_CHARACTERS + 1).lastIndexOf(' ');
  // Scripts without spaces are truncated anywhere but not inside a character.
  const short = space > MAX_STEM_CHARACTERS / 2 ? line.slice(0, space) : line.slice(0, MAX_STEM_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  return short.replace(/(?<![\s,;:.–-])[\s,;:.–-]+$/u, '');
}
