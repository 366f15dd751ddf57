import { fileAddress, noteAddress } from '../../router.ts';
import { hasView } from '../../views/files/file-link.tsx';

/** Returns the address of the page of any file: a note, a file with a view of its own, or another one. */
export function addressOfFile(path: string): string {
  return path.toLowerCase().endsWith('.md') || hasView(path) ? noteAddress(path) : fileAddress(path);
}
