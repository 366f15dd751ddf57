import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import type { Note, OutlineHeading, Properties } from '../../note/note.ts';
import type { Scan } from '../../note/markdown/scan.ts';
import { parseNote, readBody } from '../../note/parse.ts';
import { baseName, normalizeId } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import type { FileStamp, NoteEntry } from '../view.ts';
import { mayHold, mayMatch } from './match/may-match.ts';
import type { Parts } from './match/may-match.ts';
import { NoteBytes } from './match/note-bytes.ts';
import type { SearchQuery } from './query/query.ts';
import type { ScanSource } from './scan.ts';
import type { UnreadNotes } from './search.ts';

const NOTHING: readonly never[] = [];
/** No search asks when a file changed. */
const NO_STAMP = { mtimeNs: 0n, ctimeNs: 0n, ino: 0n };
/** The elements of an empty body. */
let noBody: Scan | undefined;

/** Adds unread notes to what a scan for a query, or for a literal text, looks through. `hasType`: only notes of some type are wanted. */
export function withUnread(source: ScanSource, unread: UnreadNotes, wanted: SearchQuery | string, hasType: boolean): ScanSource {
  const glance = typeof wanted === 'string' ? mayHold(wanted) : mayMatch(wanted, hasType);
  return {
    ...source,
    unread: (visit) =>
      unread.each((path, bytes, file) => {
        const note = new NoteBytes(bytes);
        const parts = glance(path, note);
        if (parts === 'none') return visit(new UnreadEntry(path, null, { size: file.size, isHidden: false }), null);
        const { text } = note;
        const indexed = file.indexed < bytes.length ? new NoteBytes(bytes.subarray(0, file.indexed)).text : text;
        visit(new UnreadEntry(path, readParts(path, indexed, parts), { size: file.size, isHidden: file.isHidden() }), text);
      }),
  };
}

/** Parses a note as far as it is wanted; null where its path says it all. */
function readParts(path: NotePath, text: string, parts: Exclude<Parts, 'none'>): Note | null {
  if (parts === 'name') return null;
  return parts === 'all' ? parseNote(path, text) : parseNote(path, text.slice(0, bodyStartOf(text)), { body: (noBody ??= readBody('')) });
}

/** What is known of an unread note, parsed only as far as it is asked for; nothing but its name and its file where it is not wanted. */
class UnreadEntry implements NoteEntry {
  readonly path: NotePath;
  readonly blocks = NOTHING;
  readonly problems = NOTHING;
  readonly hash = '';
  readonly stamp: FileStamp;
  readonly isHidden: boolean;
  readonly #note: Note | null;

  constructor(path: NotePath, note: Note | null, file: Pick<FileStamp, 'size'> & Pick<NoteEntry, 'isHidden'>) {
    this.path = path;
    this.#note = note;
    this.stamp = { ...NO_STAMP, size: file.size };
    this.isHidden = file.isHidden;
  }

  get id(): string {
    return normalizeId(this.path);
  }

  get title(): string {
    return this.#note?.title ?? baseName(this.path);
  }

  get aliases(): readonly string[] {
    return this.#note?.aliases ?? NOTHING;
  }

  get type(): string | null {
    return this.#note?.type ?? null;
  }

  get tags(): readonly string[] {
    return this.#note?.tags ?? NOTHING;
  }

  get headings(): readonly OutlineHeading[] {
    return this.#note?.headings ?? NOTHING;
  }

  get properties(): Properties {
    return this.#note?.frontmatter.data ?? {};
  }
}
