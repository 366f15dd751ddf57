import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, openHost, operations } from '../../../src/index.ts';
import type { Session } from '../../../src/index.ts';
import { randomOf } from '../../../test/support/random.ts';
import { objectsAt, SINGLE_RELATIONS } from './intervals.ts';
import type { Interval } from './intervals.ts';

/** What came of one order of ingestion. */
export interface Asked {
  readonly facts: number;
  readonly ingestSeconds: number;
  readonly questions: number;
  readonly wrong: readonly string[];
  readonly askSeconds: number;
}

const FACTS_AN_EPISODE = 200;
const GROUP = 'intervals';

/** Ingests facts in the given order into a vault of their own, and asks what held in a year for a sample of them. */
export async function askIntervals(intervals: readonly Interval[], questions: number): Promise<Asked> {
  const root = mkdtempSync(join(tmpdir(), 'roux-bench-'));
  const values = { toolsets: ['knowledge'], embeddings: 'none', durability: 'relaxed', knowledge: { single: SINGLE_RELATIONS } };
  const config = loadConfig({ vaultRoot: root, env: {}, flags: [{ source: 'bench', values }] });
  const host = openHost({ root, config });
  try {
    const session = host.openSession({ id: 'bench', agent: () => 'bench' });
    const started = performance.now();
    for (let at = 0; at < intervals.length; at += FACTS_AN_EPISODE) await ingest(session, intervals.slice(at, at + FACTS_AN_EPISODE), at);
    const ingestSeconds = (performance.now() - started) / 1000;
    const asked = performance.now();
    const wrong = await ask(session, intervals, questions);
    return { facts: intervals.length, ingestSeconds, questions, wrong, askSeconds: (performance.now() - asked) / 1000 };
  } finally {
    await host.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** A word that only the facts of one subject and relation have. */
function topicOf({ subject, relation }: Interval): string {
  return `x${subject}x${relation}x`;
}

async function ingest(session: Session, intervals: readonly Interval[], at: number): Promise<void> {
  const names = [...new Set(intervals.flatMap(({ subject, object }) => [subject, object]))];
  const edges = intervals.map((each) => ({
    name: each.relation,
    fact: `${topicOf(each)} ${each.object}`,
    source_ref: each.subject,
    target_ref: each.object,
    valid_at: firstDay(each.from),
    ...(each.until === null ? {} : { invalid_at: firstDay(each.until) }),
  }));
  const extraction = { nodes: names.map((name) => ({ tmp_ref: name, name })), edges };
  const items = [{ source: 'text' as const, body: `Facts from ${at} on.`, reference_time: '2026-01-01', extraction }];
  const { output } = await session.run(operations.kg_add_episodes, { input: { group_id: GROUP, items } });
  const { output: receipt } = await session.run(operations.kg_get_receipt, {
    input: { receipt_id: (output as { receipt_id: string }).receipt_id },
  });
  const [item] = receipt.items;
  if (item?.state !== 'completed') throw new Error(`an episode was not completed: ${JSON.stringify(item)}`);
}

/** Asks about years at random, and those in which something begins or ends; returns the answers that are wrong. */
async function ask(session: Session, intervals: readonly Interval[], questions: number): Promise<readonly string[]> {
  const random = randomOf('questions', 1);
  const byTopic = new Map<string, Interval[]>();
  for (const each of intervals) byTopic.set(topicOf(each), [...(byTopic.get(topicOf(each)) ?? []), each]);
  const topics = [...byTopic].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, said]) => said);
  const wrong: string[] = [];
  for (let asked = 0; asked < questions; asked += 1) {
    const said = random.pick(topics);
    const near = random.pick(said);
    const year = random.pick([
      near.from,
      near.from - 1,
      near.until ?? near.from + 40,
      (near.until ?? near.from + 1) - 1,
      1840 + random.below(190),
    ]);
    const input = { group_ids: [GROUP], query: topicOf(near), max_facts: 100, as_of: firstDay(year) };
    const { output } = await session.run(operations.kg_search_facts, { input });
    const found = output.facts.map(({ target_node_name: name }) => name).sort();
    const wanted = objectsAt(said, year, SINGLE_RELATIONS.includes(near.relation));
    if (String(found) !== String(wanted)) wrong.push(`${topicOf(near)} in ${year}: ${String(found)}, should be ${String(wanted)}`);
  }
  return wrong;
}

function firstDay(year: number): string {
  return `${String(year).padStart(4, '0')}-01-01`;
}
