import type { Note, OutlineHeading, Problem, Properties } from '../note/note.ts';
import { isConflictCopy } from '../note/conflict-copy.ts';
import { normalizeId } from '../note/path.ts';
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

/** What an entry is made of: values, or a note of the cache that decodes them when they are asked for. */
export interface EntryFields extends Omit<NoteEntry, 'headings' | 'blocks' | 'properties' | 'yaml' | 'isHidden'> {
  /** Whether the settings hide it. */
  readonly isExcluded: boolean;
  /** The frontmatter `id`, also where the note is a conflict copy, whose id is its path. */
  readonly ownId: string | null;
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
  const ownId = note.id === null ? null : detach(note.id);
  return {
    path,
    id: idOf(path, ownId),
    ownId,
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

/** Returns the id of a note. */
export function idOf(path: NotePath, ownId: string | null): string {
  return ownId !== null && !isConflictCopy(path) ? ownId : normalizeId(path);
}

/** One immutable state of one note. */
export class Entry implements NoteEntry {
  readonly fields: EntryFields;
  /** Whether it is an `index.md` or `log.md` of a bundle, which hides it too. */
  readonly isReserved: boolean;
  readonly #source: PropertySource;

  constructor(fields: EntryFields, source: PropertySource, isReserved = false) {
    this.fields = fields;
    this.isReserved = isReserved;
    this.#source = source;
  }

  get path(): NotePath {
    return this.fields.path;
  }

  get id(): string {
    return this.fields.id;
  }

  get title(): string {
    return this.fields.title;
  }

  get aliases(): readonly string[] {
    return this.fields.aliases;
  }

  get tags(): readonly string[] {
    return this.fields.tags;
  }

  get type(): string | null {
    return this.fields.type;
  }

  get problems(): readonly Problem[] {
    return this.fields.problems;
  }

  get stamp(): FileStamp {
    return this.fields.stamp;
  }

  get hash(): string {
    return this.fields.hash;
  }

  get yaml(): string {
    return this.fields.yaml;
  }

  /** Returns the same state of the note, reserved or not. */
  withReserved(isReserved: boolean): Entry {
    return new Entry(this.fields, this.#source, isReserved);
  }

  get isHidden(): boolean {
    return this.fields.isExcluded || this.isReserved;
  }

  get headings(): readonly OutlineHeading[] {
    const { packedHeadings } = this.fields;
    if (packedHeadings === '') return EMPTY;
    const flat = JSON.parse(packedHeadings) as (number | string)[];
    const headings: OutlineHeading[] = [];
    for (let at = 0; at < flat.length; at += 2) headings.push({ level: Number(flat[at]), text: String(flat[at + 1]) });
    return headings;
  }

  get blocks(): readonly string[] {
    const { packedBlocks } = this.fields;
    return packedBlocks === '' ? EMPTY : (JSON.parse(packedBlocks) as string[]);
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
