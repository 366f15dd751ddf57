import { fileAddress, noteAddress } from '../../router.ts';

/** Returns the address of the page of any file: a note, a file with a view of its own, or another one. */
export function addressOfFile(path: string): string {
  return /\.(?:md|base|canvas)$/i.test(path) ? noteAddress(path) : fileAddress(path);
}
