import { homeFiles } from '../../vault/home-files.ts';
import { standingOfAttribute, standingOfIgnore } from './git-rules.ts';

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

/** How a file comes to have its lines. */
export interface Completion {
  /** What has to be appended to its bytes; nothing where that is empty. */
  readonly addition: Uint8Array;
  /** The lines that it does not get, because others in it say the contrary. */
  readonly contradicted: readonly { readonly line: string; readonly by: string }[];
}

/** What the bytes of a file lack of its lines; null when git could not read them. */
export function completeLines(bytes: Uint8Array, { path, lines }: GitFile): Completion | null {
  // Each byte is one character: what is not ASCII in a file is nothing to us, and stays. Control characters stand in UTF-16 and in files that are no text.
  const text = Buffer.from(bytes).toString('latin1');
  if (/^(?:\u00ff\u00fe|\u00fe\u00ff)|[^\t\n\r\f -\u00ff]/.test(text)) return null;
  const standingOf = path.endsWith('.gitattributes') ? standingOfAttribute : standingOfIgnore;
  const missing: string[] = [];
  const contradicted: { line: string; by: string }[] = [];
  for (const line of lines) {
    const standing = standingOf(text, line);
    if (standing.kind === 'missing') missing.push(line);
    if (standing.kind === 'contradicted') contradicted.push({ line, by: Buffer.from(standing.by, 'latin1').toString('utf8') });
  }
  const eol = /\r\n[^\n]*$/.test(text) ? '\r\n' : '\n';
  const start = missing.length === 0 || text === '' || text.endsWith('\n') ? '' : eol;
  return { addition: Buffer.from(start + missing.map((line) => line + eol).join('')), contradicted };
}
