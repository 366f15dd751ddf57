import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { errorMessage, RouxError } from '../../errors.ts';
import { readPrivateFile, replacePrivateFile, withPrivateFileLock } from '../private-file.ts';

/** A private file of the user with one JSON value, which several processes read and change. */
export interface PrivateJson<T> {
  /** Returns the value: the same object for as long as the file does not change. Throws `IO_ERROR` for an unusable file. */
  read(): T;
  /** Replaces the value while no other process changes it. */
  change<R>(edit: (value: T) => { readonly value: T; readonly result: R }): R;
}

interface PrivateJsonOptions<T> {
  readonly schema: z.ZodType<T>;
  /** The value while there is no file. */
  readonly empty: T;
  /** What the file holds and what happens when it is removed, for the error message. */
  readonly holds: string;
  readonly ifRemoved: string;
}

/** Opens a private file. It is parsed again only after it has changed. */
export function openPrivateJson<T>(
  folder: string,
  file: string,
  { schema, empty, holds, ifRemoved }: PrivateJsonOptions<T>,
): PrivateJson<T> {
  const path = join(folder, file);
  let cached: { readonly stamp: string | null; readonly value: T } = { stamp: null, value: empty };

  const parse = (): T => {
    try {
      const text = readPrivateFile(path);
      return text === null ? empty : schema.parse(JSON.parse(text));
    } catch (error) {
      const why = error instanceof z.ZodError ? 'it is not as roux wrote it' : errorMessage(error);
      throw new RouxError('IO_ERROR', `The ${holds} in ${path} cannot be read: ${why}. Remove that file; ${ifRemoved}.`);
    }
  };
  const read = (): T => {
    const stamp = stampOf(path);
    if (stamp !== cached.stamp) cached = { stamp, value: stamp === null ? empty : parse() };
    return cached.value;
  };
  return {
    read,
    change: (edit) =>
      withPrivateFileLock(folder, file, () => {
        const before = read();
        const { value, result } = edit(before);
        if (value !== before) replacePrivateFile(folder, file, `${JSON.stringify(value, null, 2)}\n`);
        return result;
      }),
  };
}

/** Returns a text that changes with the file; null if there is none. */
function stampOf(path: string): string | null {
  const state = statSync(path, { bigint: true, throwIfNoEntry: false });
  return state === undefined ? null : `${state.ino} ${state.size} ${state.mtimeNs} ${state.ctimeNs}`;
}
