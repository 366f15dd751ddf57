import { Entry } from '../graph/entry.ts';
import type { FileStamp, GraphLink, NoteEntry } from '../graph/view.ts';
import type { Frontmatter, Heading, Link, LinkForm, Note, Problem } from '../note/note.ts';
import { toNotePath } from '../note/path.ts';
import type { SeenNote } from './inventory.ts';

/*
 * One note of the cache as text: fields between GS, list entries between US, parts of an entry between RS; records end with FS.
 *
 *   path GS size GS mtime GS ctime GS inode GS sha-256 GS id GS title GS type GS aliases GS tags GS headings GS blocks GS links GS problems GS yaml GS linked-to
 *
 * Notes hold these characters next to never; one that does is not cached, which costs reading it again and nothing else.
 */
const FS = '\x1c';
const GS = '\x1d';
const RS = '\x1e';
const US = '\x1f';
const FORMS: readonly LinkForm[] = ['wikilink', 'markdown', 'reference'];
const NO_SPAN = { start: 0, end: 0 };

/** What stands at the end of each record. */
export const recordEnd = FS;

/** A note as it comes out of the cache: as much of it as the graph reads. */
export interface CachedNote {
  readonly note: Note;
  readonly seen: SeenNote;
}

/** The record of a note, or null for one that cannot be kept as text. `isSure` false makes the next start read it again. */
export function encodeNote(entry: NoteEntry, links: readonly GraphLink[], seen: SeenNote, isSure: boolean): string | null {
  const { stamp } = seen;
  const texts: string = [
    entry.path,
    seen.id ?? '',
    entry.title,
    entry.type ?? '',
    ...entry.aliases,
    ...entry.tags,
    ...entry.headings.map(({ text }) => text),
    ...links.flatMap(({ linkpath, subpath, property }) => [linkpath, subpath, property ?? '']),
    yamlOf(entry),
    seen.linkedTo ?? '',
  ].join('');
  if ([FS, GS, RS, US].some((separator) => texts.includes(separator))) return null;
  const record = [
    entry.path,
    stamp.size,
    isSure ? stamp.mtimeNs : 0n,
    stamp.ctimeNs,
    stamp.ino,
    seen.hash,
    seen.id ?? '',
    entry.title,
    entry.type ?? '',
    entry.aliases.join(US),
    entry.tags.join(US),
    entry.headings.map(({ level, text }) => `${level}${text}`).join(US),
    entry.blocks.join(US),
    links.map(encodeLink).join(US),
    entry.problems.length === 0 ? '' : JSON.stringify(entry.problems),
    yamlOf(entry),
    seen.linkedTo ?? '',
  ].join(GS);
  // Half of a character does not survive UTF-8.
  return /\p{Cs}/u.test(record) ? null : record + FS;
}

/** Read a record; null for one that is not of this format. */
export function decodeRecord(record: string): CachedNote | null {
  const [path, size, mtime, ctime, ino, hash, id, title, type, aliases, tags, headings, blocks, links, problems, yaml, linkedTo] =
    record.split(GS);
  const notePath = path === undefined ? null : toNotePath(path);
  if (notePath === null || hash === undefined || title === undefined || yaml === undefined || linkedTo === undefined) return null;
  const stamp: FileStamp = { size: Number(size), mtimeNs: BigInt(mtime ?? 0), ctimeNs: BigInt(ctime ?? 0), ino: BigInt(ino ?? 0) };
  const noteId = id === undefined || id === '' ? null : id;
  const frontmatter: Frontmatter = {
    block: null,
    yaml: yaml === '' ? null : { start: 0, end: yaml.length },
    data: {},
    isReadable: true,
  };
  return {
    note: {
      path: notePath,
      text: yaml,
      frontmatter,
      bodyStart: yaml.length,
      title,
      id: noteId,
      type: type === undefined || type === '' ? null : type,
      aliases: listOf(aliases),
      tags: listOf(tags),
      links: listOf(links).map(decodeLink),
      tagUses: [],
      headings: listOf(headings).map(decodeHeading),
      blocks: listOf(blocks).map((block) => ({ start: 0, end: 0, id: block })),
      problems: problems === undefined || problems === '' ? [] : (JSON.parse(problems) as readonly Problem[]),
    },
    seen: linkedTo === '' ? { stamp, hash, id: noteId } : { stamp, hash, id: noteId, linkedTo },
  };
}

function yamlOf(entry: NoteEntry): string {
  return entry instanceof Entry ? entry.yaml : '';
}

function listOf(field: string | undefined): readonly string[] {
  return field === undefined || field === '' ? [] : field.split(US);
}

function encodeLink({ form, isEmbed, linkpath, subpath, property }: GraphLink): string {
  const kind = FORMS.indexOf(form) + (isEmbed ? FORMS.length : 0);
  return `${kind}${linkpath}${subpath}${property === null ? '' : RS + property}`;
}

function decodeLink(text: string): Link {
  const code = text.charCodeAt(0) - 48;
  const end = text.indexOf(RS);
  const kind = code >= FORMS.length ? 'embed' : 'link';
  const form = FORMS[code % FORMS.length] ?? 'wikilink';
  // Spelled out, because spreading constants costs more than all the rest at this rate.
  if (end < 0) return { start: 0, end: 0, kind, form, link: text.slice(1), target: NO_SPAN };
  return { start: 0, end: 0, kind, form, link: text.slice(1, end), target: NO_SPAN, property: text.slice(end + 1) };
}

function decodeHeading(text: string): Heading {
  return { start: 0, end: 0, level: text.charCodeAt(0) - 48, text: text.slice(1) };
}
