import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { cpuOf, median, ms, toTable, untilQuiet } from './measure.ts';
import type { Row } from './measure.ts';
import { startServer } from './server.ts';
import type { BenchServer } from './server.ts';

const CALLS = 30;

/** The task tools on one project of this many nodes. */
export async function benchTasks(count: number): Promise<Row[]> {
  const vault = mkdtempSync(join(tmpdir(), 'roux-bench-tasks-'));
  try {
    writeProject(vault, count);
    const server = await startServer(vault);
    try {
      await server.call('graph_open', { project: 'big' });
      await untilQuiet(server.pid);
      const read = async (tool: string, args: Record<string, unknown>): Promise<number> => perCall(server, tool, () => args);
      const open = await read('graph_open', { project: 'big' });
      const next = await read('graph_next', { project: 'big' });
      const actionable = await read('graph_query', { project: 'big', filter: { is_actionable: true } });
      // A note outside the project, so that the cost is that of an atomic write and little else.
      const write = await perCall(server, 'update_node', (index) => ({ id: 'plain.md', content: `text ${index}` }));
      const resolve = await perCall(server, 'graph_update', (index) => ({
        updates: [{ node_id: idOf(count - 1 - index), resolved: true, add_evidence: [{ type: 'note', ref: 'done' }] }],
      }));
      const before = cpuOf(server.pid);
      await server.call('graph_plan', {
        nodes: Array.from({ length: 1000 }, (_, index) => ({ ref: `n${index}`, summary: `New task ${index}` })),
      });
      const plan = cpuOf(server.pid) - before;
      return [
        { question: `graph_open, ${count} nodes`, value: ms(open), beside: 'goal 5 ms' },
        { question: 'graph_next', value: ms(next), beside: 'goal 5 ms' },
        { question: 'graph_query, actionable', value: ms(actionable), beside: 'goal 5 ms' },
        { question: 'graph_update, resolve', value: ms(resolve), beside: `one update of a plain note ${ms(write)}; goal that plus 5 ms` },
        { question: 'graph_plan of 1,000 nodes', value: ms(plan), beside: 'goal 5 s' },
      ];
    } finally {
      await server.close();
    }
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}

const idOf = (index: number): string => `t_${String(index).padStart(26, '0')}`;

/** A project whose tasks hang ten below each, every seventh waiting for the one before it. */
function writeProject(vault: string, count: number): void {
  const folder = join(vault, 'projects/big');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(vault, 'plain.md'), 'text\n');
  const stamp = 'rev: 1\ncreated_at: 2026-01-01T00:00:00.000Z\nupdated_at: 2026-01-01T00:00:00.000Z\ncreated_by: bench\n';
  writeFileSync(join(folder, 'big.md'), `---\nid: ${idOf(count)}\ntype: project\nsummary: A big project\nresolved: false\n${stamp}---\n`);
  for (let index = 0; index < count; index += 1) {
    const parent = index < 10 ? 'big' : `task-${Math.floor(index / 10)}`;
    const waits = index > 0 && index % 7 === 0 ? `depends_on:\n  - "[[task-${index - 1}]]"\n` : '';
    const text = `---\nid: ${idOf(index)}\ntype: task\nsummary: Task number ${index}\nresolved: false\nparent: "[[${parent}]]"\n${waits}properties:\n  priority: ${index % 5}\n${stamp}---\n`;
    writeFileSync(join(folder, `task-${index}.md`), text);
  }
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

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(toTable(await benchTasks(Number(process.argv[2] ?? 10_000))));
}
