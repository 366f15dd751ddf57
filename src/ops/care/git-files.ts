/** What a vault in git needs in `.gitattributes`: notes merged by meaning, history lines of both sides kept. */
export const MERGE_ATTRIBUTES: readonly string[] = ['*.md merge=roux', '.roux/history/*.jsonl merge=union'];

/** The text of `.gitattributes` with what is missing appended; the same text when nothing is. */
export function withMergeAttributes(text: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const present = new Set(text.split(/\r?\n/).map((line) => line.trim().split(/\s+/).join(' ')));
  const missing = MERGE_ATTRIBUTES.filter((line) => !present.has(line));
  if (missing.length === 0) return text;
  const start = text === '' || text.endsWith('\n') ? text : text + eol;
  return start + missing.map((line) => line + eol).join('');
}
