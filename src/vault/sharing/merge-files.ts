import { mergeNotes } from '../../note/merge.ts';
import { isNotePath } from '../../note/path.ts';

/** Longer texts are not merged. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Merges what was made of a note on two machines, properties by key and the body by lines; null for what a person has to look at. */
export function mergeFiles({
  path,
  base,
  ours,
  theirs,
}: {
  readonly path: string;
  readonly base: Buffer | null;
  readonly ours: Buffer;
  readonly theirs: Buffer;
}): Buffer | null {
  if (ours.equals(theirs)) return ours;
  if (base === null || !isNotePath(path)) return null;
  const texts = [base, ours, theirs].map(textOf);
  const [was, mine, other] = texts;
  if (was == null || mine == null || other == null) return null;
  const { text, conflicts } = mergeNotes(was, mine, other);
  return conflicts ? null : Buffer.from(text);
}

/** The text of a file; null where it is none, and would not come out of it the same. */
function textOf(bytes: Buffer): string | null {
  if (bytes.length > MAX_BYTES) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}
