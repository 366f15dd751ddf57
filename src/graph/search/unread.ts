import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import type { Note, OutlineHeading, Properties } from '../../note/note.ts';
import type { Scan } from '../../note/markdown/scan.ts';
import { parseNote, readBody } from '../../note/parse.ts';
import { baseName, normalizeId } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import type { FileStamp, NoteEntry } from '../view.ts';
import { mayHold, mayMatch } from './match/may-match.ts';
import type { Parts } from './match/may-match.ts';
import type { SearchQuery } from './query/query.ts';
import type { ScanSource } from './scan.ts';
import type { UnreadNotes } from './search.ts';

const NOTHING: readonly never[] = [];
/** The elements of an empty body. */
let noBody: Scan | undefined;

/** Adds unread notes to what a scan for a query, or for a literal text, looks through. `hasType`: only notes of some type are wanted. */
export function withUnread(source: ScanSource, unread: UnreadNotes, wanted: SearchQuery | string, hasType: boolean): ScanSource {
  const glance = typeof wanted === 'string' ? mayHold(wanted) : mayMatch(wanted, hasType);
  return {
    ...source,
    unread: (visit) =>
      unread.each((path, text, file) => {
        const parts = glance(path, text);
        if (parts === 'none') visit(new UnreadEntry(path, null, { stamp: file.stamp, isHidden: false }), null);
        else visit(new UnreadEntry(path, readParts(path, text, parts), { stamp: file.stamp, isHidden: file.isHidden() }), text);
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

  constructor(path: NotePath, note: Note | null, file: Pick<NoteEntry, 'stamp' | 'isHidden'>) {
    this.path = path;
    this.#note = note;
    this.stamp = file.stamp;
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
