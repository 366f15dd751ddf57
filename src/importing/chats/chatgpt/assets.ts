import { isRecord } from '../../../is-record.ts';
import type { FileOutline, Tally } from '../../imported.ts';
import { readStart, readTextOrLeave } from '../../source/read-file.ts';
import { sourceName } from '../../source/source-path.ts';
import type { SourceFile, SourceFiles } from '../../source/source-files.ts';
import { cleanLine } from '../../text/clean.ts';
import { parseJson } from '../json.ts';

const ID = /file[-_][A-Za-z0-9]+/;
const ID_AT_START = /^file[-_][A-Za-z0-9]+/;
const NAMES_FILE = /^conversation_asset_file_names.*\.json$/;
const MAX_NAMES_BYTES = 64 * 1024 * 1024;
/** Where pictures and files of chats go. */
export const ASSETS_FOLDER = 'attachments';

/** Returns the id in a pointer such as `file-service://file-abc` or `sediment://file_00ab`; null if there is none. */
export function assetId(pointer: unknown): string | null {
  return typeof pointer === 'string' ? (ID.exec(pointer.replace(/^[\w-]{1,40}:\/\//, ''))?.[0] ?? null) : null;
}

/** The files of an export that its messages use. */
export class Assets {
  readonly #files = new Map<string, SourceFile>();
  /** Names that people gave their files, by the names in the export. */
  readonly #names = new Map<string, string>();
  readonly #used = new Set<string>();

  constructor({ files }: SourceFiles) {
    for (const file of files) {
      const id = ID_AT_START.exec(sourceName(file.path))?.[0];
      if (id !== undefined && !this.#files.has(id)) this.#files.set(id, file);
    }
  }

  /** Reads how files were called, where the export says so. */
  async readNames({ files }: SourceFiles, tally: Tally): Promise<void> {
    for (const file of files.filter(({ path }) => NAMES_FILE.test(sourceName(path)))) {
      const names = parseJson((await readTextOrLeave(file, MAX_NAMES_BYTES, tally)) ?? '');
      if (!isRecord(names)) continue;
      for (const [stored, name] of Object.entries(names)) if (typeof name === 'string') this.#names.set(stored, name);
    }
  }

  /** Returns the path of a file in the export; null when it is not there. */
  find(id: string | null): string | null {
    return this.#files.get(id ?? '')?.path ?? null;
  }

  /** Remembers that a message uses a file, and what it calls it. */
  use(id: string | null, name?: string): void {
    const file = this.#files.get(id ?? '');
    if (file === undefined) return;
    this.#used.add(file.path);
    if (name !== undefined && name !== '') this.#names.set(sourceName(file.path), name);
  }

  nameOf(path: string): string {
    return cleanLine(this.#names.get(sourceName(path)) ?? sourceName(path), 'file');
  }

  async outline(): Promise<readonly FileOutline[]> {
    const outlines: FileOutline[] = [];
    for (const file of this.#files.values()) {
      const name = this.nameOf(file.path);
      const hasExtension = /\.[A-Za-z0-9]{1,8}$/.test(name) && !/\.dat$/i.test(name);
      // A file that cannot be read is named when it is to be copied.
      const extension = hasExtension ? null : sniffExtension(await readStart(file, 16).catch(() => Buffer.alloc(0)));
      outlines.push({
        file,
        name: extension === null ? name : `${name.replace(/\.dat$/i, '')}.${extension}`,
        folder: ASSETS_FOLDER,
        isAlone: !this.#used.has(file.path),
      });
    }
    return outlines;
  }
}

/** Returns the extension that the first bytes of a file ask for; null if they are none of a picture, sound, film or PDF. */
function sniffExtension(start: Buffer): string | null {
  const text = start.toString('latin1', 0, 16);
  if (text.startsWith('\x89PNG')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpg';
  if (/^GIF8[79]a/.test(text)) return 'gif';
  if (text.startsWith('%PDF-')) return 'pdf';
  if (text.startsWith('RIFF')) return text.slice(8, 12) === 'WEBP' ? 'webp' : text.slice(8, 12) === 'WAVE' ? 'wav' : null;
  if (text.slice(4, 8) === 'ftyp') return /^(?:M4A|mp4a)/.test(text.slice(8, 12)) ? 'm4a' : 'mp4';
  if (/^(?:ID3|\xff[\xfb\xf3\xf2])/.test(text)) return 'mp3';
  if (text.startsWith('OggS')) return 'ogg';
  return null;
}
