/**
 * What the knowledge graph costs: `npx tsx scripts/bench/alone/knowledge.ts [episodes] [facts] [part]`, over `roux mcp` of `dist`. The parts are
 * `episodes`, `facts`, `around` (facts around a centre) and `sentences`; all without one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program, testEnvironment } from '../../../test/support/program/cli.ts';
import { openMcp } from '../../../test/support/program/mcp-client.ts';
import type { McpProcess } from '../../../test/support/program/mcp-client.ts';
import { cpuOf, pause, residentOf, untilQuiet } from '../measure/process.ts';
import { machine, median } from '../measure/rows.ts';

const FACTS = 3;
const ITEMS_A_CALL = 50;
const PEOPLE = 200;
/** Entities of the group that is searched around a centre: each has few facts, so that the ways to them are long. */
const MANY_PEOPLE = 20_000;
const RELATIONS = ['KNOWS', 'WORKS_AT', 'LIKES', 'OWNS', 'VISITED'];
const WORDS = 'roof garden apple river window copper letter market engine winter'.split(' ');

/** Sentences of an episode. */
const SENTENCES = 20;

const count = Number(process.argv[2] ?? 1000);
const large = Number(process.argv[3] ?? 100_000);
const only = process.argv[4];
const root = mkdtempSync(join(tmpdir(), 'roux-bench-'));
console.log(machine());
try {
  if (only === undefined || only === 'episodes') await measureEpisodes();
  for (const kind of ['facts', 'around', 'sentences'] as const) if (only === undefined || only === kind) await measureLargeGroup(kind);
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** What taking in episodes costs, and how soon one is found. */
async function measureEpisodes(): Promise<void> {
  for (const way of ['rules', 'supplied'] as const) {
    await withServer(async (session) => {
      const started = performance.now();
      for (let at = 0; at < count; at += ITEMS_A_CALL) await add(session, way, { from: at, items: ITEMS_A_CALL });
      await settled(session, way);
      const seconds = (performance.now() - started) / 1000;
      console.log(
        `${way}: ${count} episodes with ${FACTS} facts each in ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(0)} a second`,
      );
    });
  }
  await withServer(async (session) => {
    const times: number[] = [];
    for (let at = 0; at < 60; at += 1) {
      const started = performance.now();
      await add(session, 'rules', { from: count + at, items: 1 });
      while (!(await find(session, 'rules', `${count + at} states`)).some(({ fact }) => fact.includes(`Episode ${count + at} states`)));
      times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    console.log(
      `an accepted item is visible after ${median(times).toFixed(0)} ms, 95th percentile ${times[Math.ceil(times.length * 0.95) - 1]?.toFixed(0)} ms`,
    );
  });
}

/** What a group of its own vault costs after a start, with what the start before cached. */
async function measureLargeGroup(kind: 'facts' | 'around' | 'sentences'): Promise<void> {
  const vault = join(root, kind);
  if (kind === 'sentences') writeSentences(vault);
  else writeFacts(vault, kind === 'facts' ? PEOPLE : MANY_PEOPLE);
  const query = kind === 'sentences' ? 'Person 7 roof' : 'Large 7 roof';
  const start = async (run: (session: McpProcess) => Promise<void>): Promise<void> => {
    const session = await openMcp({ root: vault }, { flags: ['--toolsets', 'knowledge', '--alone'] });
    try {
      await untilQuiet(session.pid);
      await run(session);
    } finally {
      await session.close();
    }
  };
  const first = async (session: McpProcess, name: string): Promise<void> => {
    const [before, started] = [cpuOf(session.pid), performance.now()];
    await find(session, 'large', query);
    const [wall, cpu] = [performance.now() - started, cpuOf(session.pid) - before];
    console.log(`${name} over ${large} ${kind}: ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of CPU, ${memoryOf(session)}`);
  };
  await start(async (session) => {
    await first(session, 'first search without a cache');
    while (!existsSync(join(vault, '.roux/cache/knowledge'))) await pause(500);
  });
  await start(async (session) => {
    await first(session, 'first search after a restart');
    for (const center of kind === 'around' ? [undefined, 'e_large_7'] : [undefined]) {
      const [cpu, wall]: number[][] = [[], []];
      for (let at = 0; at < 100; at += 1) {
        const [from, begun] = [cpuOf(session.pid), performance.now()];
        await find(session, 'large', `${WORDS[at % WORDS.length]} of Large ${at}`, center);
        cpu?.push(cpuOf(session.pid) - from);
        wall?.push(performance.now() - begun);
      }
      const times = `${median(cpu ?? []).toFixed(1)} ms of CPU, ${median(wall ?? []).toFixed(1)} ms, the first ${cpu?.[0]?.toFixed(0)} ms of CPU`;
      console.log(`kg_search_facts over ${large} ${kind}${center === undefined ? '' : ', with a centre'}: ${times}, ${memoryOf(session)}`);
    }
  });
  const times = Array.from({ length: 5 }, () => {
    const started = performance.now();
    spawnSync(process.execPath, [program, 'facts', query, '--group', 'large', '--vault', vault], { env: testEnvironment() });
    return performance.now() - started;
  });
  console.log(`roux facts over ${large} ${kind}: ${median(times).toFixed(0)} ms`);
}

function memoryOf({ pid }: McpProcess): string {
  const { now, peak } = residentOf(pid);
  return `${now.toFixed(0)} MB resident, ${peak.toFixed(0)} at most`;
}

/** Facts of one group, as notes that a person could have written. */
function writeFacts(vault: string, people: number): void {
  const folder = join(vault, 'knowledge/large/entities');
  mkdirSync(folder, { recursive: true });
  const lines = new Map<number, string[]>();
  for (let n = 0; n < large; n += 1) {
    const words = `${WORDS[n % WORDS.length]} ${WORDS[Math.floor(n / 7) % WORDS.length]}`;
    const own = lines.get(n % people) ?? [];
    lines.set(n % people, own);
    own.push(
      `- ${RELATIONS[n % RELATIONS.length]} [[large-${(n * 7 + Math.floor(n / people) * 131) % people}]]: Statement ${n} of ${words}. [created_at:: 2025-01-01]\n`,
    );
  }
  for (const [n, own] of lines)
    writeFileSync(
      join(folder, `large-${n}.md`),
      `---\nid: e_large_${n}\ntype: entity\ntitle: Large ${n}\ngroup_id: large\n---\n\n## Relations\n\n${own.join('')}`,
    );
}

/** Sentences of completed episodes of one group. */
function writeSentences(vault: string): void {
  for (let n = 0; n < large / SENTENCES; n += 1) {
    const time = new Date(Date.UTC(2025, n % 12, 1, 0, n)).toISOString();
    const folder = join(vault, `knowledge/large/episodes/${time.slice(0, 7)}`);
    mkdirSync(folder, { recursive: true });
    const body = Array.from({ length: SENTENCES }, (_, at) => {
      const words = `${WORDS[(n + at) % WORDS.length]} and the ${WORDS[Math.floor(n / 7 + at) % WORDS.length]}`;
      return `Sentence ${n * SENTENCES + at} tells of the ${words} of Person ${n % PEOPLE}.`;
    }).join(' ');
    const ingest = `ingest:\n  state: completed\n  hash: h${n}\n  attempts: 0\n  receipts: r${n}\n`;
    const properties = `id: ep-${n}\ntype: episode\ngroup_id: large\nsource: text\nreference_time: ${time}\ncreated_at: ${time}\n${ingest}`;
    writeFileSync(join(folder, `episode-${n}.md`), `---\n${properties}---\n\n\`\`\`text\n${body}\n\`\`\`\n`);
  }
}

async function withServer(run: (session: McpProcess) => Promise<void>): Promise<void> {
  const session = await openMcp({ root }, { flags: ['--toolsets', 'knowledge', '--alone'] });
  try {
    await session.ask('kg_healthcheck', { input: {} });
    await run(session);
  } finally {
    await session.close();
  }
}

async function add(session: McpProcess, way: string, { from, items }: { readonly from: number; readonly items: number }): Promise<void> {
  const input = { group_id: way, items: Array.from({ length: items }, (_, at) => item(way, from + at)) };
  await session.ask('kg_add_episodes', { input });
}

/** An episode in lines that rules read, or with what it says. */
function item(way: string, n: number) {
  const edges = Array.from({ length: FACTS }, (_, at) => {
    const [source, target] = [`Person ${(n * 7 + at) % PEOPLE}`, `Thing ${(n * FACTS + at) % 997}`];
    const words = `${WORDS[n % WORDS.length]} ${WORDS[(n * 3 + at) % WORDS.length]}`;
    return { source, target, name: RELATIONS[(n + at) % RELATIONS.length] ?? '', fact: `Episode ${n} states in line ${at} of ${words}.` };
  });
  const body = edges.map(({ source, target, name, fact }) => `${source} -[${name}]-> ${target}: ${fact}`).join('\n');
  const reference_time = new Date(Date.UTC(2025, 0, 1, 0, n)).toISOString();
  if (way === 'rules') return { source: 'text', body, reference_time };
  const nodes = [...new Set(edges.flatMap(({ source, target }) => [source, target]))].map((name) => ({ tmp_ref: name, name }));
  const found = edges.map(({ source, target, name, fact }) => ({ name, fact, source_ref: source, target_ref: target }));
  return { source: 'text', body, reference_time, extraction: { nodes, edges: found } };
}

async function settled(session: McpProcess, group: string): Promise<void> {
  for (;;) {
    const { output } = await session.ask('kg_get_receipt', { input: { group_id: group } });
    if (output.items.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function find(session: McpProcess, group: string, query: string, center?: string): Promise<readonly { fact: string }[]> {
  const input = { group_ids: [group], query, max_facts: 10, ...(center === undefined ? {} : { center_node_uuid: center }) };
  return (await session.ask('kg_search_facts', { input })).output.facts;
}
