import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { parsers } from 'prettier/plugins/babel';
import { describe, expect, it } from 'vitest';
import { cpuMs, isLong, seed } from '../../support/effort.ts';
import { repositoryRoot } from '../../support/vault.ts';

/** The characters that a regular expression has to get through in linear time. */
const MAX_LENGTH = isLong ? 1024 * 1024 : 128 * 1024;

/** CPU time of this process, which does nothing else meanwhile: a linear one takes milliseconds, a quadratic one many seconds. */
const MAX_CPU_MS = isLong ? 2_000 : 1_000;

/** Expressions whose text is bounded by the code before it: so many characters at most, and why. */
const BOUNDED: ReadonlyMap<string, readonly [length: number, why: string]> = new Map();

/** Expressions that are put together while the program runs, by file: where the parts come from. */
const PUT_TOGETHER: Readonly<Record<string, string>> = {
  'extraction/times/clauses.ts': 'constants; words are at most ten, and blanks between them are read once',
  'extraction/times/moment.ts': 'constants, anchored on both sides',
  'faces/cli/terminal.ts': 'a mark of random letters and digits',
  'graph/search/match/may-match.ts': 'one character of a class; words and tags of a query, escaped',
  'graph/search/words/letter-pattern.ts': 'letters in a row, with no quantifier but an optional mark between them',
  'graph/semantic/passages.ts': 'constants; one character or up to 24 letters at a time',
  'note/body/replace-text.ts': 'words of up to 300 characters, escaped, with white space between them',
  'note/markdown/html.ts': 'constants: the tags of CommonMark, each attribute begins with white space',
  'note/path.ts': 'one class of characters',
  'ops/notes/page/plain-line.ts':
    'constants: alternatives that are checked one by one, and a tag that ends at the next angle bracket or line',
  'ops/notes/rename/rename-queries.ts': 'a name, escaped',
  'render/body-range.ts': 'a block id',
  'terminal-text.ts': 'constants: one character each, with at most nine beside it',
  'vault/obsidian/fill-yaml.ts': 'a number between two private characters',
};

interface Found {
  readonly source: string;
  readonly flags: string;
  readonly places: string[];
}

interface SyntaxNode {
  readonly type: string;
  readonly pattern?: string;
  readonly flags?: string;
  readonly callee?: { readonly name?: string };
}

/** All nodes of a syntax tree. */
function* nodesOf(node: unknown): Generator<SyntaxNode> {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && typeof node.type === 'string') yield node as SyntaxNode;
  for (const [key, value] of Object.entries(node)) if (!/^(?:loc|range|comments|tokens|errors)$/.test(key)) yield* nodesOf(value);
}

const sources = readSources();

function readSources(): { readonly literals: readonly Found[]; readonly putTogether: readonly string[] } {
  const literals = new Map<string, Found>();
  const putTogether = new Set<string>();
  const folder = join(repositoryRoot, 'src');
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))) {
    const text = readFileSync(join(folder, file), 'utf8');
    // Half of the files hold none, and reading them takes as long as the rest of the test.
    if (!text.split('\n').some(mayHoldOne)) continue;
    for (const node of nodesOf(parsers['babel-ts'].parse(text, { filepath: file } as never))) {
      if (node.type === 'RegExpLiteral') {
        const { pattern: source = '', flags = '' } = node;
        const found = literals.get(`/${source}/${flags}`) ?? { source, flags, places: [] };
        found.places.push(file);
        literals.set(`/${source}/${flags}`, found);
      } else if (/^(?:New|Call)Expression$/.test(node.type) && node.callee?.name === 'RegExp') putTogether.add(file);
    }
  }
  return { literals: [...literals.values()], putTogether: [...putTogether].toSorted() };
}

/** Whether an expression may be in a line of code: only comments and imports have slashes otherwise. */
function mayHoldOne(line: string): boolean {
  return /\/.*\/|RegExp/.test(line) && !/^ *(?:\/[/*]|\*(?:[ /]|$))|^(?:import|export [{*]|\}) .*from '[^']*';$/.test(line);
}

/** Only what is repeated without an end can take long. */
const mayBeSlow = ({ source }: { source: string }): boolean => /[*+]|\{\d+,\d*\}/.test(source);

type Attack = Readonly<Record<'start' | 'pump' | 'end', string>>;

/** The attack that an expression does not get through in time, by its place in the list. A thread that is stuck is ended, and the rest goes on in another. */
async function findSlow(list: readonly { source: string; flags: string }[]): Promise<ReadonlyMap<number, Attack | null>> {
  const slow = new Map<number, Attack | null>();
  let worker: Worker | null = null;
  for (const [at, { source, flags }] of list.entries()) {
    worker ??= new Worker(new URL('./worst-cases.mjs', import.meta.url), { workerData: { length: MAX_LENGTH, seed, isThorough: isLong } });
    const current = worker;
    const length = BOUNDED.get(`/${source}/${flags}`)?.[0] ?? MAX_LENGTH;
    await new Promise<void>((resolve, reject) => {
      let attack: Attack | null = null;
      let before = cpuMs();
      // Of CPU time, since others may keep the machine busy.
      const timer = setInterval(() => {
        if (cpuMs() - before < MAX_CPU_MS) return;
        clearInterval(timer);
        slow.set(at, attack);
        worker = null;
        void current.terminate().then(() => resolve(), reject);
      }, 200);
      current.removeAllListeners();
      current.on('error', reject);
      current.on('message', (message: { readonly attack?: Attack; readonly done?: boolean }) => {
        attack = message.attack ?? attack;
        before = cpuMs();
        if (message.done !== true) return;
        clearInterval(timer);
        resolve();
      });
      current.postMessage({ source, flags, length });
    });
  }
  await worker?.terminate();
  return slow;
}

describe('H-01 regular expressions', () => {
  it('H-01 no expression of the source takes more than linear time', async () => {
    const literals = sources.literals.filter(mayBeSlow);
    expect(literals.length).toBeGreaterThan(300);
    const slow = await findSlow(literals);
    const found = [...slow].map(
      ([at, attack]) => `${literals[at]?.places.join(', ')}: /${literals[at]?.source}/ on ${JSON.stringify(attack)}`,
    );
    expect(found).toEqual([]);
  }, 600_000);

  it('H-01 an expression that is put together from parts is known, with the reason why it is linear', () => {
    expect(sources.putTogether).toEqual(Object.keys(PUT_TOGETHER));
  }, 120_000);

  it('H-01 expressions that are known to take long are found', async () => {
    const known = [/\s+$/, /(?<=^[ \t>]*)\[!\w/m, /\[\^(?:[^\s[\]\\]|\\[[\]\\]|\\)+\]:/];
    expect([...(await findSlow(known)).keys()]).toEqual(known.map((_, at) => at));
  }, 300_000);
});
