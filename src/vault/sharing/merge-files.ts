import { mergeNotes } from '../../note/merge/merge.ts';
import { isNotePath } from '../../note/path.ts';
import type { Merge } from '../../store/shared/incoming/sides.ts';

const MAX_MERGED_BYTES = 4 * 1024 * 1024;

/** Merges the changes that two machines made to a note: properties by key and the body by lines. Null when a person has to decide. */
export function mergeFiles({ path, base, ours, theirs }: Parameters<Merge>[0]): Buffer | null {
  if (ours.equals(theirs)) return ours;
  if (base === null || !isNotePath(path)) return null;
  const texts = [base, ours, theirs].map(textOf);
  const [was, mine, other] = texts;
  if (was == null || mine == null || other == null) return null;
  const { text, conflicts } = mergeNotes(was, mine, other);
  return conflicts ? null : Buffer.from(text);
}

/** Decodes a file; null when it is not valid UTF-8 text or is too long to be merged. */
function textOf(bytes: Buffer): string | null {
  if (bytes.length > MAX_MERGED_BYTES) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}
