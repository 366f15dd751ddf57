import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ports } from '../ports.ts';
import type { FileReader, FileState } from './folder/file-system.ts';

/** Proof that a text was written in this folder and not shipped with it. */
export interface OriginMark {
  /** What the key is derived from. */
  readonly by: 'folder' | 'secret';
  /** HMAC-SHA-256, hex. */
  readonly code: string;
}

/**
 * Distinguishes what roux wrote in this folder from what came with it (docs/security.md). Somebody who ships a repository cannot know birth
 * time and inode of the folder it will be cloned into. On file systems without birth times a secret of the user takes their place.
 */
export interface Origin {
  sign(text: string): OriginMark;
  /** Returns whether a mark, of any shape, proves that this text was written here. */
  isOurs(text: string, mark: unknown): boolean;
  /** Returns the marks for lines. Reads the identity of the folder once, for one read of lines. */
  lineMarks(): LineMarks;
}

/**
 * Short marks of single lines, which may be published with a committed history. They use the user's secret on every file system, since a
 * birth time and an inode could be found by brute force.
 */
export interface LineMarks {
  /** Returns 16 hexadecimal digits. */
  mark(text: string): string;
  isOurs(text: string, mark: string): boolean;
}

const CODE_BYTES = 32;
const LINE_CODE_BYTES = 8;

/** Creates the origin of a folder. */
export function createOrigin(files: Pick<FileReader, 'stat'>, ports: Pick<Ports, 'secret'>): Origin {
  /** Returns null when this kind of mark is impossible. */
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
      // Systems without birth times may report the last change instead, which does not last.
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

function codeOf(key: Uint8Array | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function isMark(value: unknown): value is OriginMark {
  if (typeof value !== 'object' || value === null || !('by' in value) || !('code' in value)) return false;
  return (value.by === 'folder' || value.by === 'secret') && typeof value.code === 'string';
}
