// `npm run bench:memory [facts [questions]]`: what the knowledge graph remembers of facts with intervals, ingested in two orders. Data of
// others is read from `../shared`; what is not there is made.
import { randomOf } from '../../test/support/random.ts';
import { askIntervals } from './memory/ask-intervals.ts';
import { makeIntervals, readWikidata } from './memory/intervals.ts';
import { machine } from './measure/rows.ts';

const [facts = Infinity, questions = 10_000] = process.argv.slice(2).map(Number);
console.log(machine());
const wikidata = readWikidata();
const intervals = (wikidata ?? makeIntervals()).slice(0, facts);
const random = randomOf('order', 1);
const shuffled = intervals.map((each) => ({ each, at: random.next() })).sort((a, b) => a.at - b.at);
console.log(`facts with intervals: ${wikidata === null ? 'made like those of WIKIDATA12k, whose file is not there' : 'WIKIDATA12k'}`);
for (const [name, order] of [
  ['as given', intervals],
  ['shuffled', shuffled.map(({ each }) => each)],
] as const) {
  const { facts: count, ingestSeconds, questions: asked, wrong, askSeconds } = await askIntervals(order, questions);
  const ingested = `${count} facts in ${ingestSeconds.toFixed(0)} s`;
  console.log(`${name}: ${ingested}; ${asked} questions in ${askSeconds.toFixed(0)} s, ${wrong.length} wrong`);
  for (const line of wrong.slice(0, 5)) console.log(`  ${line}`);
  if (wrong.length > 0) process.exitCode = 1;
}
