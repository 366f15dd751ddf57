import { isRecord } from '../../../is-record.ts';
import { count } from '../show.ts';
import type { Agent, ToolAnswer } from './demo-agents.ts';

/** One action of an agent, in one call or two. */
export interface Step {
  readonly who: 'ada' | 'max';
  /** Performs the action, and returns what was done as a sentence without its subject, the agent's name. */
  run(agent: Agent): Promise<string>;
}

const PROJECT = 'Garden day';
const GROUP = 'garden';

/** The tasks that ada plans. */
const PLAN = [
  { ref: 'date', summary: 'Agree on the date with the parks office', properties: { priority: 3 } },
  { ref: 'walk', summary: 'Draw a walk past every bed', properties: { priority: 2 } },
  { ref: 'stall', summary: 'Count the seedlings for the plant stall', properties: { priority: 1 } },
  { ref: 'invitation', summary: 'Write the invitation', depends_on: ['date', 'walk'], properties: { priority: 3 } },
  { ref: 'posters', summary: 'Hang the invitation up in Harbour Street', depends_on: ['invitation'] },
  { ref: 'tables', summary: 'Carry tables and chairs out of the shed', depends_on: ['date'], context_links: ['notes/Watering rota.md'] },
] as const;

const WALK = `# A walk past every bed

Twenty minutes, from the gate to the greenhouse and back.

1. [[Broad bean]] on beds 1 to 4, where the copper tape is. Tell them about [[Slug control|slugs]].
2. The three bays of [[Compost]]: the right one is open, people may put a hand in.
3. [[Courgette]], which goes where the right bay was emptied last.
4. The greenhouse with [[Tomato]]. Its new roof should be on by then.
5. Back past the tank: the [[Watering rota]] hangs there.
`;

const INVITATION = `# Open garden day

Saturday 13 June, 11 to 16 h, Harbour Street.

- [[A walk past every bed]] at 12 and at 14 h, with [[Rosa Lind|Rosa]]
- Seedlings to take home: [[Seedlings to give away]]
- Coffee and cake, thanks to the bakery

Children are welcome. The way to the greenhouse is flat.
`;

const SEEDLINGS = `# Seedlings to give away

| Plant | Pots | From |
|---|---|---|
| [[Tomato]], Matina | 24 | [[Rosa Lind\\|Rosa]] |
| [[Tomato]], Black Cherry | 9 | [[Rosa Lind\\|Rosa]] |
| [[Courgette]] | 12 | [[Tomas Berg\\|Tomas]] |

What is left goes to the [[Seed swap]] of next year as seed.
`;

/** Returns the steps of an afternoon of two agents in the garden's vault. Later steps use what earlier ones found. */
export function makeStory(): readonly Step[] {
  const ids = new Map<string, string>();
  const resolve = (ref: string, evidence: string, more: Readonly<Record<string, unknown>> = {}) => ({
    updates: [{ node_id: ids.get(ref) ?? '', resolved: true, add_evidence: [{ type: 'note', ref: evidence }], ...more }],
  });
  const claim = async (agent: Agent): Promise<string> => {
    const answer = await agent.call('graph_next', { project: PROJECT, claim: true });
    return `takes on the task “${textAt(answer, 'nodes', 0, 'node', 'summary')}”`;
  };
  return [
    {
      who: 'ada',
      async run(agent) {
        const found = await agent.call('search', { query: 'tag:event OR tag:meeting', limit: 3, include_content: false });
        const titles = listOf(found).map((hit) => textAt(hit, 'title'));
        return `looks at what the vault knows of events: ${titles.join(', ')}`;
      },
    },
    {
      who: 'ada',
      async run(agent) {
        await agent.call('graph_open', { project: PROJECT, goal: 'The garden opens its gate to the street on 13 June' });
        const answer = await agent.call('graph_plan', { project: PROJECT, nodes: PLAN });
        for (const one of listOf(answer['created'])) ids.set(textAt(one, 'ref'), textAt(one, 'id'));
        return `plans the open garden day: ${ids.size} tasks, some of which wait for others`;
      },
    },
    { who: 'max', run: claim },
    { who: 'ada', run: claim },
    {
      who: 'ada',
      async run(agent) {
        await agent.call('create_node', { title: 'A walk past every bed', directory: 'notes', tags: ['event'], content: WALK });
        return 'writes the note “A walk past every bed”, with links to six others';
      },
    },
    {
      who: 'max',
      async run(agent) {
        const contents = ['agreed to 13 June for the open garden day, on the phone on 4 May'];
        await agent.call('add_observations', { observations: [{ entityName: 'City parks office', contents }] });
        return 'remembers of the City parks office: it agreed to 13 June';
      },
    },
    {
      who: 'max',
      async run(agent) {
        const answer = await agent.call('graph_update', resolve('date', '13 June, as the parks office said on the phone on 4 May'));
        return `resolves his task, with what shows it${describeFreed(answer)}`;
      },
    },
    {
      who: 'ada',
      async run(agent) {
        const done = resolve('walk', 'walked it in twenty minutes', { add_context_links: ['notes/A walk past every bed.md'] });
        const answer = await agent.call('graph_update', done);
        return `resolves hers${describeFreed(answer)}`;
      },
    },
    {
      who: 'max',
      async run(agent) {
        const { etag } = await agent.call('get_node', { id: 'Costs' });
        const edits = [{ find: '- Two watering cans: 24\n', replace: '- Two watering cans: 24\n- Paper for the invitations: 6.40\n' }];
        await agent.call('update_node', { id: 'Costs', edits, if_match: etag });
        return 'adds one line to “Costs”; a change by somebody else meanwhile would have stopped him';
      },
    },
    { who: 'ada', run: claim },
    { who: 'max', run: claim },
    {
      who: 'max',
      async run(agent) {
        await agent.call('create_node', { title: 'Seedlings to give away', directory: 'notes', tags: ['event'], content: SEEDLINGS });
        return 'counts, and writes the note “Seedlings to give away”';
      },
    },
    {
      who: 'ada',
      async run(agent) {
        await agent.call('create_node', { title: 'Open garden day', directory: 'notes', tags: ['event'], content: INVITATION });
        return 'writes the invitation, “Open garden day”';
      },
    },
    {
      who: 'max',
      async run(agent) {
        const body = 'Tool shed -[KEY_IS_WITH]-> Tomas: Tomas keeps the key of the tool shed since 2026-05-04.';
        const items = [{ name: 'Garden evening of May', source: 'text', reference_time: '2026-05-04T00:00:00Z', body }];
        await agent.call('kg_add_episodes', { input: { group_id: GROUP, items } });
        return 'reads in the minutes who has the key of the tool shed now; that Mei had it until then stays known';
      },
    },
    {
      who: 'ada',
      async run(agent) {
        const answer = await agent.call('kg_search_facts', { input: { group_ids: [GROUP], query: 'who keeps the key of the tool shed' } });
        return `asks who can open the shed: “${textAt(answer, 'output', 'facts', 0, 'fact')}”`;
      },
    },
    {
      who: 'ada',
      async run(agent) {
        const cake = { name: 'Open garden day 2026', entityType: 'event', observations: ['on 13 June, 11 to 16 h'] };
        await agent.call('create_entities', { entities: [cake] });
        await agent.call('create_relations', { relations: [{ from: 'Corner bakery', to: cake.name, relationType: 'gives the cake for' }] });
        return 'remembers that the Corner bakery gives the cake';
      },
    },
    {
      who: 'ada',
      async run(agent) {
        const answer = await agent.call('rename', { changes: [{ from: 'A walk past every bed', to: 'Garden walk' }] });
        return `renames her note to “Garden walk”; the links to it follow, in ${count(Number(answer['links_rewritten_in']), 'note')}`;
      },
    },
    {
      who: 'ada',
      async run(agent) {
        const answer = await agent.call('graph_update', resolve('invitation', 'notes/Open garden day.md'));
        return `resolves the invitation${describeFreed(answer)}`;
      },
    },
    {
      who: 'max',
      async run(agent) {
        await agent.call('graph_update', resolve('stall', '45 pots, counted in the greenhouse'));
        const { summary } = await agent.call('graph_open', { project: PROJECT });
        const left = isRecord(summary) ? Number(summary['total']) - Number(summary['resolved']) : 0;
        return `resolves the seedlings; ${left} tasks are left, for you`;
      },
    },
  ];
}

/** Formats which tasks a resolved task unblocked, as the end of a sentence. */
function describeFreed(answer: ToolAnswer): string {
  const titles = listOf(answer['newly_actionable']).map((task) => textAt(task, 'summary'));
  return titles.length === 0 ? '' : `, which frees “${titles.join('” and “')}”`;
}

/** Returns the list in an answer, or the answer itself if it is a list. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  return isRecord(value) && Array.isArray(value['list']) ? (value['list'] as readonly unknown[]) : [];
}

/** Returns the text at a path of keys and indexes in an answer; throws if there is none. */
function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  let at: unknown = value;
  for (const key of path) {
    if (typeof key === 'number') at = listOf(at)[key];
    else at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  if (typeof at !== 'string') throw new Error(`the server answered without ${path.join('.')}: ${JSON.stringify(value)}`);
  return at;
}
