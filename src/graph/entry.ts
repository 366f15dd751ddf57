import { normalizeId } from '../note/path.ts';
import { detach } from './strings.ts';
import type { Heading, Note, Problem, Properties } from '../note/note.ts';
import type { NotePath } from '../note/path.ts';
import type { FileStamp, NoteEntry } from './view.ts';

/** Where the values of a note's YAML come from. */
export interface PropertySource {
  read(entry: Entry): Properties;
}

/** What the vault knows of a file beside its text. */
export interface FileFacts {
  readonly stamp: FileStamp;
  readonly hash: string;
  readonly isHidden?: boolean;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** One state of one note, as small as it can be: nothing of it refers to the note's text. It never changes, so it is its own snapshot. */
export class Entry implements NoteEntry {
  readonly path: NotePath;
  readonly id: string;
  /** The id is that of the frontmatter, not the path. */
  readonly hasOwnId: boolean;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly type: string | null;
  readonly problems: readonly Problem[];
  readonly stamp: FileStamp;
  readonly hash: string;
  readonly isHidden: boolean;
  /** The YAML of the frontmatter, `''` for none. */
  readonly yaml: string;
  readonly #source: PropertySource;
  /** `[1,"Title",2,"Part"]`: one string costs a fifth of the objects. */
  readonly #headings: string;
  readonly #blocks: string;

  constructor(note: Note, file: FileFacts, source: PropertySource) {
    this.path = detach(note.path) as NotePath;
    this.hasOwnId = note.id !== null && !isConflictCopy(note.path);
    this.id = note.id !== null && this.hasOwnId ? detach(note.id) : normalizeId(this.path);
    this.title = detach(note.title);
    this.aliases = detachAll(note.aliases);
    this.tags = detachAll(note.tags);
    this.type = note.type === null ? null : detach(note.type);
    this.problems =
      note.problems.length === 0 ? NOTHING : note.problems.map((problem) => ({ ...problem, message: detach(problem.message) }));
    this.stamp = file.stamp;
    this.hash = detach(file.hash);
    this.isHidden = file.isHidden ?? false;
    this.yaml = yamlOf(note);
    this.#source = source;
    this.#headings = note.headings.length === 0 ? '' : JSON.stringify(note.headings.flatMap(({ level, text }) => [level, text]));
    this.#blocks = note.blocks.length === 0 ? '' : JSON.stringify(note.blocks.map(({ id }) => id));
  }

  get headings(): readonly Pick<Heading, 'level' | 'text'>[] {
    if (this.#headings === '') return NOTHING;
    const flat = JSON.parse(this.#headings) as (number | string)[];
    const headings: Pick<Heading, 'level' | 'text'>[] = [];
    for (let at = 0; at < flat.length; at += 2) headings.push({ level: Number(flat[at]), text: String(flat[at + 1]) });
    return headings;
  }

  get blocks(): readonly string[] {
    return this.#blocks === '' ? NOTHING : (JSON.parse(this.#blocks) as string[]);
  }

  get properties(): Properties {
    return this.#source.read(this);
  }
}

/** Whether a path is that of a copy which roux or a sync tool kept of a text that lost a conflict. */
export function isConflictCopy(path: string): boolean {
  return /\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?\.md$/i.test(path);
}

function detachAll(texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? NOTHING : texts.map(detach);
}

function yamlOf(note: Note): string {
  const { yaml } = note.frontmatter;
  // What is too large to be read is not worth keeping.
  if (yaml === null || note.problems.some(({ code }) => code === 'frontmatter-too-large')) return '';
  return detach(note.text.slice(yaml.start, yaml.end));
}
