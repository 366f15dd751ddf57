import { homeFiles } from '../../vault/home-files.ts';
import { attributeStatus, ignoreStatus } from './git-rules.ts';

/** A file that git reads, by its path in the vault, and the lines that it must contain. */
export interface GitFile {
  readonly path: string;
  readonly lines: readonly string[];
}

/** Lines that two branches add to the history are all preserved. */
const HISTORY = '.roux/history/*.jsonl merge=union';

/** Git files in `.roux`: what belongs to this machine alone, and how the history is merged. */
export const HOME_FILES: readonly GitFile[] = Object.entries(homeFiles).map(([name, text]) => ({
  path: `.roux/${name}`,
  lines: text.split('\n').filter((line) => line !== ''),
}));

/** Git attributes of every vault. */
export const VAULT_ATTRIBUTES: GitFile = { path: '.gitattributes', lines: [HISTORY] };

/** Git attributes of a vault with the merge driver for notes. */
export const MERGE_ATTRIBUTES: GitFile = { path: '.gitattributes', lines: ['*.md merge=roux', HISTORY] };

/** How to complete a file. */
export interface Completion {
  /** Bytes to append; may be empty. */
  readonly addition: Uint8Array;
  /** Lines that are not added because others contradict them. */
  readonly contradicted: readonly { readonly line: string; readonly by: string }[];
}

/** Returns what a file lacks; null if git could not read the file. */
export function completeLines(bytes: Uint8Array, { path, lines }: GitFile): Completion | null {
  // Latin-1 maps each byte to one character, so other encodings pass unchanged. Control characters indicate UTF-16 or a binary file.
  const text = Buffer.from(bytes).toString('latin1');
  if (/^(?:\u00ff\u00fe|\u00fe\u00ff)|[^\t\n\r\f -\u00ff]/.test(text)) return null;
  const statusOf = path.endsWith('.gitattributes') ? attributeStatus : ignoreStatus;
  const missing: string[] = [];
  const contradicted: { line: string; by: string }[] = [];
  for (const line of lines) {
    const status = statusOf(text, line);
    if (status.kind === 'missing') missing.push(line);
    if (status.kind === 'contradicted') contradicted.push({ line, by: Buffer.from(status.by, 'latin1').toString('utf8') });
  }
  const eol = /\r\n[^\n]*$/.test(text) ? '\r\n' : '\n';
  const start = missing.length === 0 || text === '' || text.endsWith('\n') ? '' : eol;
  return { addition: Buffer.from(start + missing.map((line) => line + eol).join('')), contradicted };
}
