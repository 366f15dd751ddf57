import { whileReading } from '../watchdog/at-work.ts';
import { readFrontmatterLinks } from './frontmatter/property-links.ts';
import { nameOf, splitTags, typeNameOf } from './frontmatter/property-value.ts';
import { bodyStartOf, readFrontmatter } from './frontmatter/read-frontmatter.ts';
import { readMarkdown } from './markdown/read-markdown.ts';
import { scan } from './markdown/scan.ts';
import type { Scan } from './markdown/scan.ts';
import type { Note, Problem, Properties, PropertyValue } from './note.ts';
import { baseName, foldKey, isSlugOf } from './path.ts';
import type { NotePath } from './path.ts';

/** Which reader reads a note: the scanner, the authoritative reader, or whichever the text needs. */
export type Reader = 'auto' | 'scanner' | 'authoritative';

const limitProblems: Readonly<Record<'too-nested' | 'too-large', Problem>> = {
  'too-nested': {
    code: 'too-nested',
    message: 'The text is nested too deep to be read in full; its links and tags are those of a quick scan',
  },
  'too-large': { code: 'too-large', message: 'The text is too large to be read in full; its links and tags are those of a quick scan' },
};

/** A text, and the elements in its body where they have been read; null where they have not. */
export interface ReadText {
  readonly text: string;
  readonly body: Scan | null;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

interface ParseOptions {
  readonly reader?: Reader;
  readonly problems?: readonly Problem[];
  readonly body?: Scan | null;
}

/**
 * Parses a note. Never throws: what cannot be read becomes a problem, in addition to given ones. The body is parsed lazily, since serving
 * the text or changing a property does not need it. `body`: its elements, where they are known.
 */
export function parseNote(path: NotePath, text: string, options: ParseOptions = {}): Note {
  return new ParsedNote(path, text, options);
}

/** Not an object literal with getters: V8 keeps those, and with them the text of every note that was read, until its next full collection. */
class ParsedNote implements Note {
  readonly path: NotePath;
  readonly text: string;
  readonly frontmatter: ReturnType<typeof readFrontmatter>;
  readonly bodyStart: number;
  readonly title: string;
  readonly id: string | null;
  readonly type: string | null;
  readonly aliases: readonly string[];
  readonly #reader: Reader | undefined;
  readonly #problems: readonly Problem[];
  #body: Scan | null;

  constructor(path: NotePath, text: string, { reader, problems = [], body = null }: ParseOptions) {
    const { frontmatter, data } = whileReading(path, () => {
      const read = readFrontmatter(text);
      // Values are parsed on first use.
      return { frontmatter: read, data: read.data };
    });
    this.path = path;
    this.text = text;
    this.frontmatter = frontmatter;
    this.bodyStart = bodyStartOf(text, frontmatter.block);
    this.aliases = stringsOf(data['aliases']);
    this.title = titleOf(path, data, this.aliases);
    this.id = nameOf(data['id']);
    this.type = typeNameOf(data['type']);
    this.#reader = reader;
    this.#problems = problems;
    this.#body = body;
  }

  get tags(): readonly string[] {
    return uniqueTags([...tagsOf(this.frontmatter.data['tags']), ...this.#read().tagUses.map((use) => use.tag)]);
  }

  get links(): Scan['links'] {
    const { yaml, isReadable } = this.frontmatter;
    const properties = yaml && isReadable ? readFrontmatterLinks(this.text.slice(yaml.start, yaml.end), yaml.start) : [];
    return properties.length === 0 ? this.#read().links : [...properties, ...this.#read().links];
  }

  get tagUses(): Scan['tagUses'] {
    return this.#read().tagUses;
  }

  get headings(): Scan['headings'] {
    return this.#read().headings;
  }

  get blocks(): Scan['blocks'] {
    return this.#read().blocks;
  }

  get problems(): readonly Problem[] {
    const { limit } = this.#read();
    const own = limit === null ? this.frontmatter.problems : [...this.frontmatter.problems, limitProblems[limit]];
    const given = this.#problems.filter(({ code }) => !own.some((problem) => problem.code === code));
    return given.length === 0 ? own : [...own, ...given];
  }

  #read(): Scan {
    return (this.#body ??= whileReading(this.path, () => readBody(this.text, this.#reader)));
  }
}

/** Returns a note with other values for some of its fields. */
export function noteWith(note: Note, fields: Partial<Note>): Note {
  const { path, text, frontmatter, bodyStart, title, id, type, aliases, tags, links, tagUses, headings, blocks, problems } = note;
  return { path, text, frontmatter, bodyStart, title, id, type, aliases, tags, links, tagUses, headings, blocks, problems, ...fields };
}

/** Reads the elements in the body of a text with a reader. */
export function readBody(text: string, reader: Reader = 'auto'): Scan {
  if (reader === 'authoritative') return readMarkdown(text);
  const scanned = scan(text);
  return scanned.isCertain || scanned.limit !== null || reader === 'scanner' ? scanned : readMarkdown(text);
}

/** Decodes a note, keeping a BOM. For invalid UTF-8 returns a text that must not be written back, and a problem. */
export function decodeNote(bytes: Uint8Array): { text: string; problem?: Problem } {
  try {
    return { text: strict.decode(bytes) };
  } catch {
    return {
      text: lossy.decode(bytes),
      problem: { code: 'invalid-utf8', message: 'The file is not valid UTF-8; it is read as far as possible and not written' },
    };
  }
}

function titleOf(path: NotePath, data: Properties, aliases: readonly string[]): string {
  const name = baseName(path);
  const first = aliases[0];
  return nameOf(data['title']) ?? (first !== undefined && isSlugOf(name, first) ? first : name);
}

function stringsOf(value: PropertyValue | undefined): readonly string[] {
  const values = Array.isArray(value) ? (value as readonly PropertyValue[]) : value === undefined ? [] : [value];
  return values.map(nameOf).filter((text) => text !== null);
}

function tagsOf(value: PropertyValue | undefined): readonly string[] {
  const list = typeof value === 'string' ? splitTags(value) : stringsOf(value);
  return list.map((tag) => tag.trim().replace(/^#/, '')).filter((tag) => tag !== '');
}

function uniqueTags(tags: readonly string[]): readonly string[] {
  if (tags.length < 2) return tags;
  const seen = new Map<string, string>();
  for (const tag of tags) {
    const key = foldKey(tag);
    if (!seen.has(key)) seen.set(key, tag);
  }
  return [...seen.values()];
}
