import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { cpuOf, median, ms, untilQuiet, type Row } from './measure.ts';
import { startProgram, startServer, type BenchServer } from './server.ts';

const program = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));
const CALLS = 25;

/** The memory tools at this many entities, beside the public memory server on the same graph. */
export async function benchMemory(count: number): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'roux-bench-memory-'));
  try {
    const file = join(folder, 'memory.jsonl');
    writeMemory(file, count);
    const vault = mkdtempSync(join(folder, 'vault-'));
    spawnSync(process.execPath, [program, 'import', file, '--vault', vault]);
    const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json');
    const theirs = await startProgram([join(dirname(manifest), 'dist/index.js')], { MEMORY_FILE_PATH: file });
    const ours = await startServer(vault);
    try {
      await ours.call('search_nodes', { query: 'topic 5' });
      await untilQuiet(ours.pid);
      const observe = (server: BenchServer): Promise<number> =>
        perCall(server, 'add_observations', (index) => ({
          observations: [{ entityName: `Entity ${index * 7}`, contents: [`new ${index}`] }],
        }));
      const search = (server: BenchServer): Promise<number> => perCall(server, 'search_nodes', (index) => ({ query: `topic ${index}` }));
      const [oneOurs, oneTheirs] = [await observe(ours), await observe(theirs)];
      const [findOurs, findTheirs] = [await search(ours), await search(theirs)];
      const parallel = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          ours.call('create_entities', { entities: [{ name: `Parallel ${index}`, entityType: 'thing', observations: [] }] }),
        ),
      );
      const kept = JSON.parse(await ours.call('search_nodes', { query: 'name:parallel' })) as { entities: unknown[] };
      return [
        {
          question: `one observation among ${count} entities`,
          value: ms(oneOurs),
          beside: `server-memory ${ms(oneTheirs)}: ${(oneTheirs / oneOurs).toFixed(1)} ×; goal 8 ×`,
        },
        {
          question: `search_nodes among ${count} entities`,
          value: ms(findOurs),
          beside: `server-memory ${ms(findTheirs)}; goal 2 to 4 ms`,
        },
        {
          question: 'creations that survive of 20 in parallel',
          value: `${kept.entities.length} of ${parallel.length}`,
          beside: 'goal 20 of 20',
        },
      ];
    } finally {
      await ours.close();
      await theirs.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes so many entities as the file of the public memory server. */
export function writeMemory(file: string, count: number): void {
  const lines = Array.from({ length: count }, (_, index) => ({
    type: 'entity',
    name: `Entity ${index}`,
    entityType: ['person', 'place', 'thing'][index % 3],
    observations: [`fact ${index} about topic ${index % 97}`, `seen on day ${index % 365}`],
  }));
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
}

async function perCall(server: BenchServer, tool: string, args: (index: number) => Record<string, unknown>): Promise<number> {
  const costs: number[] = [];
  for (let index = 0; index < CALLS; index += 1) {
    const before = cpuOf(server.pid);
    await server.call(tool, args(index));
    costs.push(cpuOf(server.pid) - before);
  }
  return median(costs);
}
