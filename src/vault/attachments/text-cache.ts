import { isRecord } from '../../is-record.ts';
import type { FileState } from '../../store/folder/file-system.ts';
import { hashOf } from '../../store/folder/hash.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import type { PdfText } from './worker/pdf-thread.ts';

/* Texts on disk. The file `attachments` lists the files of the vault with the state in which they were read; each `text-<key>` has the pages of one content, so that a file that is renamed or copied is not read again. */

/** Why a file has no text. `command`: the command for pictures failed. */
export type TextFailure = Extract<PdfText, { kind: 'failed' }>['why'] | 'too large' | 'unreadable' | 'command';

/** The same for people, as what a file does. */
export const TEXT_FAILURES: Readonly<Record<TextFailure, string>> = {
  encrypted: 'needs a password',
  broken: 'is damaged',
  slow: 'took too long',
  memory: 'needed too much memory',
  crashed: 'ended its reader',
  'too large': 'is too large',
  unreadable: 'could not be read',
  command: 'could not be read by the command for pictures',
};

/** What came of reading a file. */
export type FileText = { readonly kind: 'read'; readonly isCut: boolean; readonly pages: readonly string[] } | FailedText;

/** The text of a file as far as it is known; `waiting`: it has not been read yet. */
export type KnownText = FileText | { readonly kind: 'waiting' };

interface FailedText {
  readonly kind: 'failed';
  readonly why: TextFailure;
}

/** A file that was read, and in which state. */
export interface ReadFile {
  readonly stamp: string;
  /** The key of its text; null if it has none. */
  readonly key: string | null;
  readonly isCut?: boolean;
  readonly why?: TextFailure;
  /** How often reading failed for a reason that may be the machine's. */
  readonly attempts?: number;
}

const LIST = 'attachments';
/** Changes when texts are made in another way. */
const FORMAT = 'roux-texts-1';
const KEY = /^[0-9a-f]{32}$/;

/** Identifies a state of a file. */
export function stampOf({ size, mtimeNs, ctimeNs, ino }: FileState): string {
  return `${size} ${mtimeNs} ${ctimeNs} ${ino}`;
}

/** Returns the key of the text of a file's bytes, by what reads it: `pdf`, or the command for pictures. */
export function textKey(hash: string, reader: string): string {
  return hashOf(`${hash} ${reader}`).slice(0, 32);
}

/** The texts of attachments in `.roux/cache`, or in memory where nothing may be written. */
export class TextCache {
  readonly #files: CacheFiles;
  readonly #canSave: boolean;
  readonly #unsaved = new Map<string, readonly string[]>();
  /** A query looks at several pages of a file in a row. */
  #last: { readonly key: string; readonly pages: readonly string[] } | null = null;

  constructor(files: CacheFiles, { canSave }: { readonly canSave: boolean }) {
    this.#files = files;
    this.#canSave = canSave;
  }

  /** Whether other processes have the same texts. */
  get isShared(): boolean {
    return this.#canSave;
  }

  /** Returns the pages of a text; null when it is not there. */
  pages(key: string): readonly string[] | null {
    const unsaved = this.#unsaved.get(key);
    if (unsaved !== undefined) return unsaved;
    if (this.#last?.key === key) return this.#last.pages;
    const value = parse(this.#files.load(nameOf(key)));
    if (!isRecord(value) || value['format'] !== FORMAT || !isTexts(value['pages'])) return null;
    this.#last = { key, pages: value['pages'] };
    return value['pages'];
  }

  async save(key: string, pages: readonly string[]): Promise<void> {
    if (!this.#canSave) this.#unsaved.set(key, pages);
    else await this.#files.save(nameOf(key), [Buffer.from(JSON.stringify({ format: FORMAT, pages }))]);
  }

  remove(key: string): void {
    this.#unsaved.delete(key);
    if (this.#canSave) this.#files.remove(nameOf(key));
  }

  /** Returns the files that were read, by path. */
  loadList(): Map<string, ReadFile> {
    const value = parse(this.#files.load(LIST));
    if (!isRecord(value) || value['format'] !== FORMAT || !isRecord(value['files'])) return new Map();
    return new Map(Object.entries(value['files']).filter((entry): entry is [string, ReadFile] => isReadFile(entry[1])));
  }

  async saveList(list: ReadonlyMap<string, ReadFile>): Promise<void> {
    if (!this.#canSave) return;
    const files = Object.assign(Object.create(null) as Record<string, ReadFile>, Object.fromEntries(list));
    await this.#files.save(LIST, [Buffer.from(JSON.stringify({ format: FORMAT, files }))]);
  }
}

function nameOf(key: string): string {
  return `text-${key}`;
}

function parse(bytes: Buffer | null): unknown {
  try {
    return bytes === null ? null : JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isReadFile(value: unknown): value is ReadFile {
  if (!isRecord(value) || typeof value['stamp'] !== 'string') return false;
  const { key } = value;
  return key === null || (typeof key === 'string' && KEY.test(key));
}
