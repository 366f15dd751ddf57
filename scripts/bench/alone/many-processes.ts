import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuOf, residentOf } from '../measure/process.ts';
import { machine, median, ms, toTable } from '../measure/rows.ts';
import { program } from '../measure/server.ts';
import { withFolder } from '../measure/vaults.ts';

/**
 * `npx tsx scripts/bench/alone/many-processes.ts [seconds] [counts] [flags of roux mcp]`: so many processes on one folder, as clients start
 * them, that write one note after another, each its own. Counts are as `1,4,12,30`. The machine is never quiet enough for figures of a single
 * run, so that each is compared with one process in the same run. Linux only. Build first.
 */

const [seconds = '5', counts = '1,4,12,30', ...flags] = process.argv.slice(2);

interface Measured {
  readonly perSecond: number;
  readonly cpu: number;
  readonly middle: number;
  readonly longest: number;
  readonly refusals: number;
  readonly memory: readonly number[];
}

const rows: { count: number; measured: Measured }[] = [];
for (const count of counts.split(',').map(Number)) rows.push({ count, measured: await withFolder((root) => measure(root, count)) });
const one = rows[0]?.measured;
console.log(machine());
console.log(
  toTable(
    rows.map(({ count, measured: { perSecond, cpu, middle, longest, refusals, memory } }) => ({
      work: `${count} processes`,
      measured: `${perSecond.toFixed(0)} writes/s (${(perSecond / (one?.perSecond ?? 1)).toFixed(2)} of the first row)`,
      beside: `CPU a write ${ms(cpu)} (${(cpu / (one?.cpu ?? 1)).toFixed(1)} times), wait ${ms(middle)}, longest ${ms(longest)} (${(longest / middle).toFixed(1)} times), memory ${memory.map((each) => each.toFixed(0)).join(' … ')} MB`,
      goal: 'no refusal',
      isMet: refusals === 0,
    })),
  ),
);

async function measure(root: string, count: number): Promise<Measured> {
  for (let at = 0; at < Math.max(count, 200); at += 1) writeFileSync(join(root, `n${at}.md`), `Note ${at} [[n${at + 1}]]\n`);
  const env = { ...process.env, ROUX_EMBEDDINGS: 'none', XDG_STATE_HOME: join(root, '..', `${root.split('/').at(-1)}-state`) };
  const clients = Array.from({ length: count }, () => openClient(root, env));
  await Promise.all(clients.map(({ greet }) => greet()));
  // What V8 meets for the first time is not the subject, nor is the second write, before which processes learn of each other.
  for (const [at, { write }] of clients.entries()) await write(at, -1);
  await Promise.all(clients.map(async ({ write }, at) => void (await write(at, -2))));
  const before = clients.map(({ pid }) => cpuOf(pid));
  const waits: number[] = [];
  let refusals = 0;
  const since = performance.now();
  const end = since + Number(seconds) * 1000;
  await Promise.all(
    clients.map(async ({ write }, at) => {
      for (let turn = 0; performance.now() < end; turn += 1) {
        const begin = performance.now();
        if (!(await write(at, turn))) refusals += 1;
        waits.push(performance.now() - begin);
      }
    }),
  );
  const perSecond = (waits.length / (performance.now() - since)) * 1000;
  const cpu = clients.reduce((sum, { pid }, at) => sum + cpuOf(pid) - (before[at] ?? 0), 0) / waits.length;
  const memory = clients.map(({ pid }) => residentOf(pid).now).sort((a, b) => a - b);
  await Promise.all(clients.map(({ end: close }) => close()));
  const extremes = memory.length > 1 ? [memory[0] ?? 0, memory.at(-1) ?? 0] : memory;
  return { perSecond, cpu, middle: median(waits), longest: Math.max(...waits), refusals, memory: extremes };
}

function openClient(root: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [program, 'mcp', root, ...flags], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const waiting = new Map<number, (line: string) => void>();
  let rest = '';
  let id = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id: answered } = JSON.parse(line) as { readonly id?: number };
      if (answered !== undefined) waiting.get(answered)?.(line);
    }
  });
  const ask = (method: string, params: unknown): Promise<string> =>
    new Promise((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  return {
    pid: child.pid ?? 0,
    greet: async (): Promise<void> => {
      await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
      child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    },
    /** Resolves to false if the write was refused. */
    write: async (note: number, turn: number): Promise<boolean> => {
      const answer = await ask('tools/call', { name: 'update_node', arguments: { id: `n${note}`, properties: { turn } } });
      return !answer.includes('"isError":true') && !answer.includes('"error":{');
    },
    end: () => (child.stdin.end(), exit),
  };
}
