import type { PropertyValue } from '../note/note.ts';
import type { LeftOut, SourceFile } from './source/source-files.ts';

/** The programs whose exports are read. */
export const SOURCES = ['chatgpt', 'claude', 'notion', 'logseq', 'basic-memory', 'beads'] as const;
export type Source = (typeof SOURCES)[number];
/** Of notes; issues of beads become tasks. */
export type NoteSource = Exclude<Source, 'beads'>;

/** A note to be made, as far as it has to be known before links to it can be written. */
export interface NoteOutline {
  /** The source's own id: equal in every export. */
  readonly id: string;
  readonly title: string;
  /** Below the folder of the import; `''` for that folder itself. */
  readonly folder: string;
}

/** A file to be copied. */
export interface FileOutline {
  readonly file: SourceFile;
  /** The name with its extension. */
  readonly name: string;
  readonly folder: string;
  /** No note uses it: it is copied by itself. */
  readonly isAlone: boolean;
}

/** What is in an export. */
export interface Outline {
  readonly notes: readonly NoteOutline[];
  readonly files: readonly FileOutline[];
}

/** The content of a note, with the places of links left open (`linkToken`). */
export interface ImportedNote extends NoteOutline {
  readonly properties: Readonly<Record<string, PropertyValue>>;
  /** Other names that the note has at the source. */
  readonly aliases?: readonly string[];
  readonly body: string;
  /** The files that it uses, by their paths in the export. */
  readonly files: readonly string[];
}

/** An export that is being read. `outline` comes first. */
export interface ExportReader {
  outline(): Promise<Outline>;
  notes(): AsyncIterable<ImportedNote>;
  readonly tally: Tally;
}

/** Counts what a note says in other words than the source, and names what is left out. */
export class Tally {
  readonly counts = new Map<string, number>();
  readonly left: LeftOut[] = [];
  /** Called for each pass over an export, so that nothing is counted twice. */
  reset(): void {
    this.counts.clear();
    this.left.length = 0;
  }

  /** `what`: in the plural, as before a number: "messages that ChatGPT hides, folded: 3". */
  count(what: string, times = 1): void {
    if (times > 0) this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  leave(path: string, reason: string): void {
    this.left.push({ path, reason });
  }
}
