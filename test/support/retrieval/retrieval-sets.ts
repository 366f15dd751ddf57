import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { baseName } from '../../../src/note/path.ts';
import { repositoryRoot, shared } from '../vault.ts';
import { notesOf, vaultsNamed } from '../vaults.ts';

/** A question, and the notes that answer it. */
export interface Question {
  readonly query: string;
  readonly answers: readonly string[];
  /** The folder that is searched; the whole vault where absent. */
  readonly under?: string;
  readonly kind: string;
}

/** Notes with questions to them. */
export interface RetrievalSet {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
  readonly questions: readonly Question[];
}

/** Halves of public benchmarks, read in place. */
export const OUTSIDE_SETS = ['locomo', 'scifact', 'hotpot', 'musique'] as const;
/** Questions about vaults of documentation: written by people, and made from the notes. */
export const VAULT_SETS = ['help-en', 'help-zh', 'titles', 'typos', 'nine words', 'identifiers'] as const;
export type SetName = (typeof OUTSIDE_SETS)[number] | (typeof VAULT_SETS)[number];

interface OutsideSet {
  readonly docs: readonly { readonly path: string; readonly title: string; readonly text: string }[];
  readonly queries: readonly {
    readonly q: string;
    readonly gold: readonly string[];
    readonly scope: string | null;
    readonly kind: string;
  }[];
}

/** Reads a set; null where its files are not on this machine. */
export function readRetrievalSet(name: SetName): RetrievalSet | null {
  const outside = OUTSIDE_SETS.find((known) => known === name);
  if (outside !== undefined) return readOutsideSet(outside);
  const [vault] = vaultsNamed(name === 'help-zh' ? 'obsidian-help-zh' : 'obsidian-help-en');
  if (vault?.isThere !== true) return null;
  const files = new Map(notesOf(vault).map(({ file, text }) => [file, text]));
  if (name === 'help-en' || name === 'help-zh') {
    const file = name === 'help-en' ? shared('quality/help-en-queries.tsv') : `${repositoryRoot}/test/graph/search/help-zh-questions.tsv`;
    return existsSync(file) ? { name, files, questions: readLines(file) } : null;
  }
  return { name, files, questions: [...files].flatMap(([path, text]) => make(name, { path, text, files }) ?? []) };
}

function readOutsideSet(name: string): RetrievalSet | null {
  const file = shared(`quality/outside/${name}.dev.json.gz`);
  if (!existsSync(file)) return null;
  const { docs, queries } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as OutsideSet;
  return {
    name,
    files: new Map(docs.map(({ path, title, text }) => [path, `---\ntitle: ${JSON.stringify(title)}\n---\n${text}`])),
    questions: queries.map(({ q, gold, scope, kind }) => ({ query: q, answers: gold, kind, ...(scope === null ? {} : { under: scope }) })),
  };
}

function readLines(file: string): readonly Question[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [query = '', answers = ''] = line.split('\t');
    return { query, answers: answers.split('|'), kind: '' };
  });
}

/** Makes a question from a note; null where the note has nothing to make it of. The same notes give the same questions. */
function make(
  kind: string,
  { path, text, files }: { readonly path: string; readonly text: string; readonly files: ReadonlyMap<string, string> },
): Question | null {
  const title = baseName(path);
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '');
  let query: string | null = title;
  if (kind === 'typos') query = misspell(title);
  else if (kind === 'nine words') query = nineWords(body);
  else if (kind === 'identifiers') query = identifier(body, files);
  return query === null ? null : { query, answers: [path], kind };
}

function misspell(title: string): string | null {
  const words = title.split(' ');
  const long = words.findIndex((word) => word.length >= 6);
  if (long < 0) return null;
  const word = words[long]!;
  const at = 1 + (hash(title) % (word.length - 2));
  return words.with(long, word.slice(0, at) + word.slice(at + 1)).join(' ');
}

function nineWords(body: string): string | null {
  const sentences = body
    .replace(/[[\]*_`#>|]/g, ' ')
    .split(/\n+|[.!?]\s/)
    .map((sentence) => sentence.trim().split(/\s+/))
    .filter((words) => words.length >= 12);
  const sentence = sentences[hash(body) % Math.max(1, sentences.length)];
  if (sentence === undefined) return null;
  const at = hash(sentence.join(' ')) % (sentence.length - 8);
  return sentence
    .slice(at, at + 9)
    .join(' ')
    .replace(/[^\p{L}\p{N} '-]/gu, ' ');
}

/** Returns an identifier in code that no other note has. */
function identifier(body: string, files: ReadonlyMap<string, string>): string | null {
  const all = [...files.values()];
  for (const [, name = ''] of body.matchAll(/`([A-Za-z_][\w.-]{5,40})`/g))
    if (all.filter((text) => text.includes(name)).length === 1) return name;
  return null;
}

function hash(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) >>> 0;
  return sum;
}
