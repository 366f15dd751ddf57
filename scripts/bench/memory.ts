// `npm run bench:memory [facts [questions]]`: what the knowledge graph remembers of conversations, and of facts with intervals that arrive in
// two orders. Data of others is read from `../shared`: conversations that are not there are left out, intervals are made.
import { randomOf } from '../../test/support/random.ts';
import { askIntervals } from './memory/ask-intervals.ts';
import { makeIntervals, readWikidata } from './memory/intervals.ts';
import { withServer } from '../../test/support/program/mcp-server.ts';
import { mean, recallTurns } from '../../test/support/retrieval/turns-recall.ts';
import { readConversations } from '../../test/support/retrieval/turns-set.ts';
import { withVault } from '../../test/support/vault.ts';
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

const conversations = readConversations();
if (conversations === null) console.log('conversations: the file of LoCoMo is not there');
else
  await withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        const recalls = [];
        for (const conversation of conversations) recalls.push(await recallTurns(session, conversation));
        const [in10, in20] = [recalls.flatMap((each) => each.in10), recalls.flatMap((each) => each.in20)];
        console.log(
          `LoCoMo turn by turn, ${in10.length} questions, by words: recall ${mean(in10).toFixed(3)} in ten, ${mean(in20).toFixed(3)} in twenty`,
        );
      },
      { flags: ['--toolsets', 'knowledge'] },
    ),
  );
