import type { Note, OutlineHeading, Problem, Properties } from '../note/note.ts';
import { isConflictCopy, normalizeId } from '../note/path.ts';
import type { NotePath } from '../note/path.ts';
import { detach } from '../note/text.ts';
import type { FileStamp, NoteEntry } from './view.ts';

/** Source of parsed frontmatter values. */
export interface PropertySource {
  read(entry: Entry): Properties;
}

/** File attributes of a note besides its text. */
export interface FileFacts {
  readonly stamp: FileStamp;
  readonly hash: string;
  readonly isHidden?: boolean;
}

const EMPTY: readonly never[] = Object.freeze([]);

export interface EntryFields extends Omit<NoteEntry, 'headings' | 'blocks' | 'properties' | 'yaml' | 'isHidden'> {
  /** Whether the settings hide it. */
  readonly isExcluded: boolean;
  /** Whether the id comes from the frontmatter, not the path. */
  readonly hasOwnId: boolean;
  /** The YAML of the frontmatter, `''` for none. */
  readonly yaml: string;
  /** `[1,"Title",2,"Part"]`, `''` for none: one string costs a fifth of the objects. */
  readonly packedHeadings: string;
  /** `["a1","b2"]`, `''` for none. */
  readonly packedBlocks: string;
}

/** Extracts the fields of an entry from a note, as small as possible: none of them references the note's text. */
export function toFields(note: Note, file: FileFacts): EntryFields {
  const path = detach(note.path) as NotePath;
  const hasOwnId = note.id !== null && !isConflictCopy(note.path);
  return {
    path,
    id: note.id !== null && hasOwnId ? detach(note.id) : normalizeId(path),
    hasOwnId,
    title: detach(note.title),
    aliases: detachAll(note.aliases),
    tags: detachAll(note.tags),
    type: note.type === null ? null : detach(note.type),
    problems: note.problems.length === 0 ? EMPTY : note.problems.map((problem) => ({ ...problem, message: detach(problem.message) })),
    stamp: file.stamp,
    hash: detach(file.hash),
    isExcluded: file.isHidden ?? false,
    yaml: yamlOf(note),
    packedHeadings: note.headings.length === 0 ? '' : JSON.stringify(note.headings.flatMap(({ level, text }) => [level, text])),
    packedBlocks: note.blocks.length === 0 ? '' : JSON.stringify(note.blocks.map(({ id }) => id)),
  };
}

/** One immutable state of one note. */
export class Entry implements NoteEntry, EntryFields {
  readonly path: NotePath;
  readonly id: string;
  readonly hasOwnId: boolean;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly type: string | null;
  readonly problems: readonly Problem[];
  readonly stamp: FileStamp;
  readonly hash: string;
  readonly isHidden: boolean;
  readonly isExcluded: boolean;
  /** Whether it is an `index.md` or `log.md` of a bundle, which hides it too. */
  readonly isReserved: boolean;
  readonly yaml: string;
  readonly packedHeadings: string;
  readonly packedBlocks: string;
  readonly #source: PropertySource;

  constructor(fields: EntryFields, source: PropertySource, isReserved = false) {
    this.path = fields.path;
    this.id = fields.id;
    this.hasOwnId = fields.hasOwnId;
    this.title = fields.title;
    this.aliases = fields.aliases;
    this.tags = fields.tags;
    this.type = fields.type;
    this.problems = fields.problems;
    this.stamp = fields.stamp;
    this.hash = fields.hash;
    this.isHidden = fields.isExcluded || isReserved;
    this.isExcluded = fields.isExcluded;
    this.isReserved = isReserved;
    this.yaml = fields.yaml;
    this.packedHeadings = fields.packedHeadings;
    this.packedBlocks = fields.packedBlocks;
    this.#source = source;
  }

  /** Returns the same state of the note, reserved or not. */
  withReserved(isReserved: boolean): Entry {
    return new Entry(this, this.#source, isReserved);
  }

  get headings(): readonly OutlineHeading[] {
    if (this.packedHeadings === '') return EMPTY;
    const flat = JSON.parse(this.packedHeadings) as (number | string)[];
    const headings: OutlineHeading[] = [];
    for (let at = 0; at < flat.length; at += 2) headings.push({ level: Number(flat[at]), text: String(flat[at + 1]) });
    return headings;
  }

  get blocks(): readonly string[] {
    return this.packedBlocks === '' ? EMPTY : (JSON.parse(this.packedBlocks) as string[]);
  }

  get properties(): Properties {
    return this.#source.read(this);
  }
}

function detachAll(texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? EMPTY : texts.map(detach);
}

function yamlOf(note: Note): string {
  const { yaml } = note.frontmatter;
  // Oversized frontmatter is not parsed, so there is no use in storing it.
  if (yaml === null || note.problems.some(({ code }) => code === 'frontmatter-too-large')) return '';
  return detach(note.text.slice(yaml.start, yaml.end));
}
