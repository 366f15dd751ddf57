import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ports } from '../ports.ts';
import type { FileReader, FileState } from './folder/file-system.ts';

/** What shows that a text was written in this folder, and not shipped with it. */
export interface OriginMark {
  /** What the code is made with. */
  readonly by: 'folder' | 'secret';
  /** HMAC-SHA-256, hex. */
  readonly code: string;
}

/**
 * Tells what roux wrote in this folder from what came with it (docs/security.md).
 * Who ships a repository cannot know when the folder that it is cloned into will be born, nor its inode;
 * where the file system does not tell births, a secret of the user takes their place.
 */
export interface Origin {
  sign(text: string): OriginMark;
  /** Whether a mark, of whatever shape, shows that this text was written here. */
  isOurs(text: string, mark: unknown): boolean;
  /** Returns the marks of lines; reads what identifies the folder once, for as many lines as one look takes. */
  lineMarks(): LineMarks;
}

/**
 * Short marks of single lines. Unlike other marks they may be published, with a history that is committed. They are made with the user's
 * secret on every file system: a birth and an inode could be searched for until the marks fit.
 */
export interface LineMarks {
  /** Returns 16 hexadecimal digits. */
  mark(text: string): string;
  isOurs(text: string, mark: string): boolean;
}

/** The origin of what is written in this folder. */
export function openOrigin(files: Pick<FileReader, 'stat'>, ports: Pick<Ports, 'secret'>): Origin {
  /** Null: nothing can be shown this way. */
  function keyOf(by: OriginMark['by'], state: FileState): Uint8Array | string | null {
    if (by === 'folder') return state.birthNs > 0n ? `roux ${state.ino} ${state.birthNs}` : null;
    return Buffer.concat([ports.secret(), Buffer.from(` ${state.ino}`)]);
  }

  function rootState(): FileState {
    const state = files.stat('');
    if (state === null) throw Object.assign(new Error('ESTALE: the folder is gone'), { code: 'ESTALE' });
    return state;
  }

  return {
    lineMarks() {
      const key = createHmac('sha256', ports.secret()).update(`line ${rootState().ino}`).digest();
      const mark = (text: string): string => codeOf(key, text).toString('hex', 0, LINE_CODE_BYTES);
      return { mark, isOurs: (text, given) => given === mark(text) };
    },
    sign(text) {
      const state = rootState();
      // Where births are not kept, some systems give the time of the last change for one, which does not last.
      const by = state.birthNs > 0n && state.birthNs !== state.ctimeNs ? 'folder' : 'secret';
      return { by, code: codeOf(keyOf(by, state) ?? '', text).toString('hex') };
    },
    isOurs(text, mark) {
      if (!isMark(mark)) return false;
      const key = keyOf(mark.by, rootState());
      const given = Buffer.from(mark.code, 'hex');
      return key !== null && given.length === CODE_BYTES && timingSafeEqual(given, codeOf(key, text));
    },
  };
}

const CODE_BYTES = 32;
const LINE_CODE_BYTES = 8;

function codeOf(key: Uint8Array | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function isMark(value: unknown): value is OriginMark {
  if (typeof value !== 'object' || value === null || !('by' in value) || !('code' in value)) return false;
  return (value.by === 'folder' || value.by === 'secret') && typeof value.code === 'string';
}
