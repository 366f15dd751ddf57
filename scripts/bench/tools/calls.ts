import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createConfigSource, loadConfig } from '../../../src/system/settings-files/load-config.ts';
import { openHost } from '../../../src/open-host.ts';
import { buildMinimalServer } from '../measure/minimal-server.ts';
import { cpuOf } from '../measure/process.ts';
import { median, ms, type Row } from '../measure/rows.ts';
import { openServer, program, startProgram, type BenchServer } from '../measure/server.ts';
import { withFolder } from '../measure/vaults.ts';

const STARTS = 21;
/** Calls before anything is measured, so that V8 has compiled the code, and of each round. */
const WARM = 3_000;
const CALLS = 1_000;
const ROUNDS = 9;
const ENVIRONMENT = { ...process.env, ROUX_EMBEDDINGS: 'none' };

/** What roux adds to the protocol: to a start, and to a call of a tool, beside a server that does nothing, on the same SDK and built alike. */
export async function benchCalls(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const minimal = buildMinimalServer(folder);
    const vault = join(folder, 'dist');
    writeFileSync(join(vault, 'a.md'), '---\nstate: done\n---\n# A\n\nSome words, and [[b]].\n');
    writeFileSync(join(vault, 'b.md'), 'Back to [[a]].\n');
    return [await benchStart(minimal, vault), await benchCall(minimal, vault)];
  });
}

async function benchStart(minimal: string, vault: string): Promise<Row> {
  const [roux, least]: [number[], number[]] = [[], []];
  for (let round = 0; round < STARTS; round += 1) {
    least.push(await costOfStart([minimal]));
    roux.push(await costOfStart([program, 'mcp', vault]));
  }
  const ratio = median(roux) / median(least);
  return {
    work: '`initialize` answered, from the start of the process',
    measured: `${ms(median(roux))}, ${times2(ratio)}`,
    beside: `a server that does nothing, built alike ${ms(median(least))}`,
    goal: '1.15 ×',
    isMet: ratio <= 1.15,
  };
}

/** CPU of all threads until `initialize` is answered. */
async function costOfStart(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...args], { env: ENVIRONMENT, stdio: ['pipe', 'pipe', 'ignore'] });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await once(child.stdout, 'data');
  const cost = cpuOf(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return cost;
}

async function benchCall(minimal: string, vault: string): Promise<Row> {
  const ask = ['get_node', { id: 'a' }] as const;
  const least = await startProgram([minimal]);
  const roux = await openServer(vault);
  const text = await roux.call(...ask);
  const own = await openOwn(vault, ask);
  const trivial = ['answer', { characters: text.length }] as const;
  for (const [server, call] of [
    [least, trivial],
    [roux, ask],
  ] as const)
    await costOfCalls(server, call, WARM);
  await own.cost(WARM);
  const [costs, bases, operations]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    bases.push(await costOfCalls(least, trivial, CALLS));
    costs.push(await costOfCalls(roux, ask, CALLS));
    operations.push(await own.cost(CALLS));
  }
  await Promise.all([least.close(), roux.close(), own.close()]);
  const [cost, base, operation] = [median(costs), median(bases), median(operations)];
  const most = 1.3 * base + operation;
  return {
    work: '`get_node` of a small note over stdio',
    measured: ms3(cost),
    beside: `a tool that does nothing ${ms3(base)}, the operation alone ${ms3(operation)}`,
    goal: `1.3 × and the operation: ${ms3(most)}`,
    isMet: cost <= most,
  };
}

/** CPU of one call of a server, in milliseconds, over so many one after the other. */
async function costOfCalls(server: BenchServer, [tool, args]: readonly [string, object], calls: number): Promise<number> {
  const before = cpuOf(server.pid);
  for (let index = 0; index < calls; index += 1) await server.call(tool, { ...args });
  return (cpuOf(server.pid) - before) / calls;
}

/** The same operation in this process, without any protocol. */
async function openOwn(vault: string, [name, args]: readonly [string, object]) {
  const query = { vaultRoot: vault, env: ENVIRONMENT, flags: [] };
  const config = loadConfig(query);
  // Settings are followed as by a server: it is part of every call.
  const host = openHost({ root: vault, config, settings: createConfigSource(query, config) });
  const operation = (await host.operations()).find((each) => each.name === name);
  if (operation === undefined) throw new Error(`there is no ${name}`);
  const session = host.openSession({ id: 'bench', agent: () => 'bench' });
  return {
    cost: async (calls: number): Promise<number> => {
      const before = process.cpuUsage();
      for (let index = 0; index < calls; index += 1) JSON.stringify((await session.call({ operation, args })).output);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000 / calls;
    },
    close: () => host.close(),
  };
}

const ms3 = (value: number): string => `${value.toFixed(3)} ms`;
const times2 = (value: number): string => `${value.toFixed(2)} ×`;
