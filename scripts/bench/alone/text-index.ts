import { openInvertedIndex } from '../../../src/graph/search/inverted/inverted-index.ts';
import { clausesOf } from '../../../src/graph/search/query/clauses.ts';
import { holdsClause, toClauseScan } from '../../../src/graph/search/words/term-scan.ts';
import { tokenize } from '../../../src/graph/search/words/tokenize.ts';
import { bytesOf, document, finish, words as wordQuery } from '../../../test/graph/search/inverted/text-index-contract.ts';
import { generateNotes } from '../../make-vault.ts';
import { cpuHere } from '../measure/process.ts';
import { machine, median, ms, toTable, type Row } from '../measure/rows.ts';

/** `npx tsx scripts/bench/alone/text-index.ts [notes]`: what indexing, ranking, storing and scanning cost on generated notes, without disk and server. */

const count = Number(process.argv[2] ?? 10_000);
const texts = Array.from(generateNotes(count), ({ text }) => text);
const index = openInvertedIndex();
const rows: Row[] = [];
const row = (work: string, measured: string, goal = ''): void => void rows.push({ work, measured, goal });

row('tokenize', ms(cpuHere(() => texts.forEach((text) => void tokenize(text)))));
const before = process.memoryUsage.rss();
row(
  'put',
  ms(
    cpuHere(() => {
      for (const [key, body] of texts.entries()) index.put(document(key, { title: `Note ${key}`, body }));
    }),
  ),
  '12 s at 10,000, in the background',
);
row('resident memory for it', `${((process.memoryUsage.rss() - before) / 1e6).toFixed(0)} MB`);

const words = [...new Set(texts.slice(0, 50).flatMap((text) => /[a-z]{5,9}/.exec(text.slice(-400)) ?? []))];
const rank = (text: string): number => cpuHere(() => void index.rank(wordQuery(text)));
row('rank one word, median', ms(median(words.map(rank))), '10 ms with all around it');
row('rank three words, median', ms(median(words.map((_, at) => rank(words.slice(at, at + 3).join(' '))))));
row('rank a misspelt word', ms(rank('knowladge')));

let bytes: Uint8Array = new Uint8Array();
row('save', ms(cpuHere(() => void (bytes = bytesOf(index)))), `${(bytes.length / 1e6).toFixed(1)} MB`);
row('load', ms(cpuHere(() => finish(openInvertedIndex().load(bytes)))), '1.5 s');
const [clause] = clausesOf(words[0] ?? '', { isPrefix: true }).map(toClauseScan);
if (clause !== undefined)
  row('look through all notes for a word', ms(cpuHere(() => texts.forEach((text) => void holdsClause(text, clause)))));

console.log(`${machine()}\n\n${count} generated notes; CPU time.\n\n${toTable(rows)}`);
