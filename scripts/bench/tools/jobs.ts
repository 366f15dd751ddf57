import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Row } from '../measure/rows.ts';
import { startServer } from '../measure/server.ts';
import { withFolder } from '../measure/vaults.ts';

/** What a model reads and writes for one job. */
interface Spent {
  calls: number;
  characters: number;
}

type Ask = (tool: string, args: Record<string, unknown>) => Promise<unknown>;

/** So many characters are taken for one token: English and JSON have about as many. */
const PER_TOKEN = 4;
const FOLDERS = ['garden', 'kitchen', 'travel'];
const NOTES = 30;

/** Three jobs as agents have them, through MCP: how many calls each takes, and how many tokens go to and fro. */
export async function benchJobs(): Promise<Row[]> {
  return [
    await job(`${NOTES} notes of 1.5 kB read, filed into folders, tagged and linked`, organise, { calls: 40, tokens: 20_000 }),
    await job('a project of 20 tasks planned, five done with evidence', plan),
    await job('ten people remembered, found and corrected', remember),
  ];
}

/** Calls and tokens that a job should take at most. */
interface Most {
  readonly calls: number;
  readonly tokens: number;
}

async function job(work: string, run: (ask: Ask, vault: string) => Promise<void>, most?: Most): Promise<Row> {
  return withFolder(async (vault) => {
    mkdirSync(join(vault, 'inbox'));
    for (let index = 0; index < NOTES; index += 1) writeFileSync(join(vault, 'inbox', `${nameOf(index)}.md`), messyNote(index));
    const spent: Spent = { calls: 0, characters: 0 };
    const server = await startServer(vault);
    await run(async (tool, args) => {
      const text = await server.call(tool, args);
      spent.calls += 1;
      spent.characters += JSON.stringify(args).length + tool.length + text.length;
      return /^[[{]/.test(text) ? (JSON.parse(text) as unknown) : text;
    }, vault);
    await server.close();
    const tokens = Math.round(spent.characters / PER_TOKEN);
    const said = (calls: number, count: number): string => `${calls} calls, ${count.toLocaleString('en')} tokens`;
    const goal =
      most === undefined ? {} : { goal: said(most.calls, most.tokens), isMet: spent.calls <= most.calls && tokens <= most.tokens };
    return { work, measured: said(spent.calls, tokens), ...goal };
  });
}

function nameOf(index: number): string {
  return `note ${String(index).padStart(2, '0')}`;
}

/** About 1.5 kB, as people write in haste. */
function messyNote(index: number): string {
  const topic = FOLDERS[index % FOLDERS.length] ?? '';
  const lines = Array.from(
    { length: 18 },
    (_, line) => `Something about the ${topic} that was seen on day ${line}, to be looked at again.`,
  );
  return `# ${topic} ${index}\n\n${lines.join('\n')}\n\n- [ ] ask about number ${index}\n`;
}

async function organise(ask: Ask): Promise<void> {
  const { nodes } = (await ask('list_nodes', { path: 'inbox' })) as { nodes: readonly { id: string }[] };
  const read = new Map<string, string>();
  let ids = nodes.map(({ id }) => id);
  while (ids.length > 0) {
    const answer = (await ask('get_nodes', { ids, max_characters: 36_000 })) as {
      nodes: readonly { id: string; content: string }[];
      left: string[];
    };
    for (const { id, content } of answer.nodes) read.set(id, content);
    ids = answer.left;
  }
  const topicOf = (id: string): string => FOLDERS.find((folder) => read.get(id)?.startsWith(`# ${folder}`) === true) ?? 'other';
  await ask('rename', { changes: nodes.map(({ id }) => ({ from: id, to: `${topicOf(id)}/` })) });
  for (const [index, { id }] of nodes.entries()) {
    const next = nodes[(index + FOLDERS.length) % nodes.length]?.id ?? '';
    const link = next.replace(/^.*\/|\.md$/g, '');
    await ask('update_node', { id: id.replace('inbox/', `${topicOf(id)}/`), tags: [topicOf(id)], append: `See [[${link}]].` });
  }
}

async function plan(ask: Ask): Promise<void> {
  await ask('graph_open', { project: 'shed', goal: 'A shed that stands' });
  const nodes = Array.from({ length: 20 }, (_, index) => ({
    ref: `t${index}`,
    summary: `Part ${index} of the shed is built and painted`,
    ...(index === 0 ? {} : { depends_on: [`t${Math.floor((index - 1) / 2)}`] }),
  }));
  await ask('graph_plan', { project: 'shed', nodes });
  for (let done = 0; done < 5; done += 1) {
    const { nodes: next } = (await ask('graph_next', { project: 'shed', claim: true })) as { nodes: readonly { node: { id: string } }[] };
    const id = next[0]?.node.id ?? '';
    await ask('graph_update', { updates: [{ node_id: id, resolved: true, add_evidence: [{ type: 'note', ref: 'seen standing' }] }] });
  }
}

async function remember(ask: Ask): Promise<void> {
  const people = Array.from({ length: 10 }, (_, index) => `Person ${index}`);
  const entities = people.map((name, index) => ({ name, entityType: 'person', observations: [`has garden ${index}`, 'likes tea'] }));
  await ask('create_entities', { entities });
  const relations = people.map((from, index) => ({ from, to: people[(index + 1) % people.length] ?? '', relationType: 'knows' }));
  await ask('create_relations', { relations });
  await ask('search_nodes', { query: 'garden' });
  await ask('open_nodes', { names: people.slice(0, 2) });
  await ask('add_observations', { observations: [{ entityName: 'Person 0', contents: ['likes coffee'] }] });
  await ask('delete_observations', { deletions: [{ entityName: 'Person 0', observations: ['likes tea'] }] });
}
