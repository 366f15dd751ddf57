import { RouxError } from '../../errors.ts';
import { readFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { decodeNote } from '../../note/parse.ts';

/** The text of a note that is to be changed; refused when its bytes are no UTF-8, because writing them back would destroy them. */
export function textToChange(path: string, bytes: Uint8Array): string {
  const { text, problem } = decodeNote(bytes);
  if (problem !== undefined || Buffer.compare(Buffer.from(text), bytes) !== 0) {
    throw new RouxError('INVALID_PARAMS', `${path} is not valid UTF-8 text, so roux does not change it; convert it to UTF-8 first.`, {
      path,
    });
  }
  return text;
}

/** The frontmatter `rev` of a text, or null. */
export function revOf(text: string): number | null {
  // Most notes of a vault count nothing, and a rename asks a thousand of them.
  if (!text.includes('rev')) return null;
  const { rev } = readFrontmatter(text).data as { rev?: unknown };
  return typeof rev === 'number' && Number.isSafeInteger(rev) ? rev : null;
}
