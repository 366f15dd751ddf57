import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { makeVault } from '../../make-vault.ts';
import { machine, median, ms, toTable } from '../measure/rows.ts';
import { program, type Ask } from '../measure/server.ts';
import { withFolder } from '../measure/vaults.ts';

/**
 * `npx tsx scripts/bench/alone/http-clients.ts [clients] [seconds] [notes] [pause]`: many clients of one `roux serve` that read and write at once,
 * half of them over MCP and half over `/api`. Each calls, pauses for some `pause` milliseconds, and calls again; a fourth of the calls
 * writes. Afterwards every write that was answered is looked for in the files. Build first.
 */

const [clients = 50, seconds = 60, notes = 1000, pause = 500] = process.argv.slice(2).map(Number);
/** Notes into which all clients write. */
const SHARED = 5;

type Call = (ask: Ask) => Promise<void>;

await withFolder(async (root) => {
  makeVault(root, notes);
  await withServer(root, async (url) => {
    const [setUp, ...calls] = await Promise.all(
      Array.from({ length: clients + 1 }, (_, index) => (index % 2 === 0 ? overApi(url) : overMcp(url))),
    );
    for (let at = 0; at < SHARED; at += 1) await setUp?.(['create_node', { title: `Shared ${at}`, content: 'All write here.\n' }]);
    const [reads, writes]: [number[], number[]] = [[], []];
    const errors: string[] = [];
    const acknowledged: string[] = [];
    const end = performance.now() + seconds * 1000;
    const work = async (call: Call, client: number): Promise<void> => {
      for (let turn = 0; performance.now() < end; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
        const mark = turn % 4 === 3 ? `mark-${client}-${turn}-end` : null;
        const begin = performance.now();
        try {
          await call(mark === null ? reading(client, turn) : writing(mark, client, turn));
          (mark === null ? reads : writes).push(performance.now() - begin);
          if (mark !== null) acknowledged.push(mark);
        } catch (error) {
          errors.push(String(error).slice(0, 300));
        }
      }
    };
    await Promise.all(calls.map(work));
    const text = textOf(root);
    const lost = acknowledged.filter((mark) => text.split(mark).length !== 2);
    const all = [...reads, ...writes];
    const [middle, late] = [median(all), at99(all)];
    const rows = [
      {
        work: 'calls answered with an error',
        measured: String(errors.length),
        beside: `of ${all.length}`,
        goal: '0',
        isMet: errors.length === 0,
      },
      {
        work: 'acknowledged writes that are not in the files once',
        measured: String(lost.length),
        beside: `of ${acknowledged.length}`,
        goal: '0',
        isMet: lost.length === 0,
      },
      {
        work: 'a call, median and 99th of a hundred',
        measured: `${ms(middle)}, ${ms(late)}`,
        beside: `${(late / middle).toFixed(1)} ×`,
        goal: '10 ×',
        isMet: late <= middle * 10,
      },
      { work: 'reads alone', measured: `${ms(median(reads))}, ${ms(at99(reads))}` },
      { work: 'writes alone', measured: `${ms(median(writes))}, ${ms(at99(writes))}` },
      { work: 'calls a second', measured: (all.length / seconds).toFixed(0) },
    ];
    console.log(`${machine()}, ${clients} clients, ${seconds} s, ${notes} notes, ${pause} ms between calls\n\n${toTable(rows)}`);
    for (const error of errors.slice(0, 5)) console.log(error);
    for (const mark of lost.slice(0, 5)) console.log(`lost or doubled: ${mark}`);
  });
});
process.exit(0);

function reading(client: number, turn: number): Ask {
  const kind = (client + turn) % 4;
  if (kind === 0) return ['search', { query: ['water garden', 'tag:idea plan', 'week'][turn % 3], mode: 'keyword', limit: 5 }];
  if (kind === 1) return ['get_node', { id: `Shared ${client % SHARED}` }];
  if (kind === 2) return ['list_nodes', { limit: 20 }];
  return ['get_hubs', { limit: 5 }];
}

function writing(mark: string, client: number, turn: number): Ask {
  if (turn % 12 === 3) return ['create_node', { title: `Note ${client} ${turn}`, content: `${mark}, see [[Shared ${turn % SHARED}]].\n` }];
  if (turn % 12 === 7)
    return ['create_entities', { entities: [{ name: `Entity ${client} ${turn}`, entityType: 'thing', observations: [mark] }] }];
  return ['update_node', { id: `Shared ${turn % SHARED}`, append: `${mark}\n` }];
}

function at99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

function textOf(root: string): string {
  const names = readdirSync(root, { recursive: true }).map(String);
  return names
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .join('\n');
}

async function overMcp(url: string): Promise<Call> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)) as Transport);
  return async ([name, args]) => {
    const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: { ...args } }));
    if (result.isError === true) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
  };
}

async function overApi(url: string): Promise<Call> {
  return async ([name, args]) => {
    const response = await fetch(`${url}/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
  };
}

async function withServer(root: string, run: (url: string) => Promise<void>): Promise<void> {
  const server = spawn(process.execPath, [program, 'serve', root, '--port', '0', '--json', '--auth', 'none'], {
    env: { ...process.env, ROUX_EMBEDDINGS: 'none' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  server.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  server.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  try {
    while (!out.includes('\n') || !err.includes('ready')) await new Promise((resolve) => setTimeout(resolve, 100));
    await run((JSON.parse(out) as { url: string }).url);
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}
