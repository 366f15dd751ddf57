import { homeFiles } from '../../vault/home-files.ts';

/** A file that git reads, by its path in the vault, and the lines that it has to have. */
export interface GitFile {
  readonly path: string;
  readonly lines: readonly string[];
}

/** Lines that two branches add to the history are both kept. */
const HISTORY = '.roux/history/*.jsonl merge=union';

/** What `.roux` says to git: what is this machine's alone, and how the history is merged. */
export const HOME_FILES: readonly GitFile[] = Object.entries(homeFiles).map(([name, text]) => ({
  path: `.roux/${name}`,
  lines: text.split('\n').filter((line) => line !== ''),
}));

/** What every vault in git needs in its own attributes. */
export const VAULT_ATTRIBUTES: GitFile = { path: '.gitattributes', lines: [HISTORY] };

/** What a vault needs there whose notes git merges by meaning. */
export const MERGE_ATTRIBUTES: GitFile = { path: '.gitattributes', lines: ['*.md merge=roux', HISTORY] };

/** What has to be appended to a text so that it has all of these lines; `''` when nothing has. */
export function missingLines(text: string, lines: readonly string[]): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const present = new Set(text.split(/\r?\n/).map((line) => line.trim().split(/\s+/).join(' ')));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return '';
  const start = text === '' || text.endsWith('\n') ? '' : eol;
  return start + missing.map((line) => line + eol).join('');
}
