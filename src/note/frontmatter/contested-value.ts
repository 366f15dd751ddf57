import { lineEnding } from '../text.ts';
import { findFrontmatter } from './read-frontmatter.ts';

/** The comment that a merge leaves when both sides disagree on whether a task is resolved. */
const comment = /^# resolved: (true|false) on the other side of a merge\b.*(?:\r\n|\n|\r|$)/m;

/** Adds the other side's value of `resolved` as a comment beside it, so that the file has both. */
export function contestResolved(text: string, other: boolean): string {
  const bare = settleResolved(text);
  const found = findFrontmatter(bare);
  if (found === null) return bare;
  const yaml = bare.slice(found.yaml.start, found.yaml.end);
  const eol = lineEnding(bare);
  const line = `# resolved: ${other} on the other side of a merge; delete this line once it is decided${eol}`;
  const own = /^resolved:.*(?:\r\n|\n|\r)/m.exec(yaml);
  const at = found.yaml.start + (own === null ? yaml.length : own.index + own[0].length);
  return bare.slice(0, at) + line + bare.slice(at);
}

/** Returns the other side's value of `resolved`; null when nothing is open. */
export function contestedResolved(text: string): boolean | null {
  const found = text.includes('# resolved: ') ? findFrontmatter(text) : null;
  const said = found === null ? null : comment.exec(text.slice(found.yaml.start, found.yaml.end));
  return said === null ? null : said[1] === 'true';
}

/** Removes that comment after somebody decided. */
export function settleResolved(text: string): string {
  if (contestedResolved(text) === null) return text;
  const found = findFrontmatter(text);
  if (found === null) return text;
  return text.slice(0, found.yaml.start) + text.slice(found.yaml.start, found.yaml.end).replace(comment, '') + text.slice(found.yaml.end);
}
