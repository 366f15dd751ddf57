import { utimesSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { mostWorkDone, workDone } from '../../support/work-done.ts';

const FEW = 60;
const MANY = 500;
const LINKING = 12;
const LONG_AGO = new Date('2026-01-01');

/** Notes in chains of links, all with one tag; a dozen of them have a tag, a word and a link that the others have not. And entities. */
const notesOf = (count: number): Record<string, string> => ({
  'Hub.md': 'The hub.\n',
  ...Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      `memory/thing/entity-${number}.md`,
      `---\nid: e_${number}\ntitle: Entity ${number}\ntype: entity\nkind: thing\nrev: 1\n---\n# Entity ${number}\n\n## Observations\n\n- known\n`,
    ]),
  ),
  ...Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      `area ${number % 5}/note ${number}.md`,
      `---\nrating: ${number % 10}\n---\nWords of [[note ${number - (number % 3)}]] #every\n${number < LINKING ? '\nA heron by the [[Hub]] #some\n' : ''}`,
    ]),
  ),
});

/** What agents ask most. However often it is asked, a call does the same work; a page of each answer has the same size in both vaults. */
const CALLS: Readonly<Record<string, (time: number) => Record<string, unknown>>> = {
  get_node: () => ({ id: 'Hub' }),
  get_neighbors: () => ({ id: 'Hub' }),
  get_hubs: () => ({ limit: 5 }),
  random_node: () => ({}),
  list_nodes: () => ({ limit: 20 }),
  search_by_tags: () => ({ tags: ['some'] }),
  search: () => ({ query: 'heron' }),
  open_nodes: () => ({ names: ['Entity 3'] }),
  create_entities: (time) => ({ entities: [{ name: `New ${time}`, entityType: 'thing', observations: [] }] }),
  add_observations: (time) => ({ observations: [{ entityName: `Entity ${time % FEW}`, contents: [`seen ${time}`] }] }),
  update_node: (time) => ({ id: 'Hub', properties: { status: `${time}` } }),
};

/** What the tools of a server do, each in a call of its own. */
type Work = (tool: string) => Promise<number>;

/** What this thread reports: calls that still did too much work after a long wait, each with the functions that did most of it. */
export type Excesses = readonly string[];

const excesses: string[] = [];

/** Waits until a call does no more work than it may, and records it if it never does. */
async function expectLittle(what: string, isLittle: () => Promise<boolean>, call: () => Promise<unknown>): Promise<void> {
  if (!(await waitFor(isLittle).catch(() => false))) excesses.push(`${what}: ${await mostWorkDone(call)}`);
}

/** Runs on a server that has come to rest. */
async function withRested(count: number, run: (work: Work, call: (tool: string) => Promise<unknown>) => Promise<void>): Promise<void> {
  await withVault(notesOf(count), (vault) => {
    // Notes that were made a moment ago are looked at again with each call.
    for (const file of vault.files()) utimesSync(vault.path(file), LONG_AGO, LONG_AGO);
    return withServer(vault, async ({ ask }) => {
      let time = 0;
      const call = (tool: string): Promise<unknown> => ask(tool, CALLS[tool]?.((time += 1)));
      const work: Work = (tool) => workDone(() => call(tool));
      // The first call reads all notes, which would be counted for seconds; a search reads all until there is an index.
      await call('get_hubs');
      for (const [tool, most] of [
        ['get_hubs', 2_000],
        ['search', 12_000],
      ] as const) {
        const isRested = async (): Promise<boolean> => (await work(tool)) < most;
        await expectLittle(`a ${tool} that looks at no other note`, isRested, () => call(tool));
      }
      for (const tool of Object.keys(CALLS)) await call(tool);
      await run(work, call);
    });
  });
}

/** How much each did among few notes. */
const few = new Map<string, number>();
await withRested(FEW, async (work) => {
  for (const tool of Object.keys(CALLS)) few.set(tool, Math.min(await work(tool), await work(tool)));
});
await withRested(MANY, async (work, call) => {
  for (const [tool, count] of few) {
    // Which notes are drawn, and where they lie, makes a difference of some. What the server does at its own times only adds.
    const most = 1.3 * count + 50;
    const isFlat = async (): Promise<boolean> => (await work(tool)) <= most;
    await expectLittle(`a ${tool} among ${MANY} of at most ${most}, with ${count} among ${FEW}`, isFlat, () => call(tool));
  }
});
parentPort?.postMessage(excesses satisfies Excesses);
