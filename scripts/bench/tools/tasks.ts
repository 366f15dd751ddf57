import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { untilQuiet } from '../measure/process.ts';
import { median, ms, type Row } from '../measure/rows.ts';
import { costOf, costsOf, startServer, type Ask } from '../measure/server.ts';
import { withFolder } from '../measure/vaults.ts';

const NODES = 10_000;
const CALLS = 30;

/** The task tools on one project of this many nodes. */
export async function benchTasks(count = NODES): Promise<Row[]> {
  return withFolder(async (vault) => {
    writeProject(vault, count);
    const server = await startServer(vault);
    await server.call('graph_open', { project: 'big' });
    await untilQuiet(server.pid);
    const cost = async (ask: (index: number) => Ask): Promise<number> => median(await costsOf(server, ask, { calls: CALLS }));
    const read = async (tool: string, args: Readonly<Record<string, unknown>>): Promise<Row> => {
      const used = await cost(() => [tool, args]);
      return { work: `\`${tool}\`, a project of 10,000 nodes`, measured: ms(used), goal: '5 ms', isMet: used <= 5 };
    };
    const rows = [
      await read('graph_open', { project: 'big' }),
      await read('graph_next', { project: 'big' }),
      await read('graph_query', { project: 'big', filter: { is_actionable: true } }),
    ];
    // A note outside the project, so that the cost is that of an atomic write and little else.
    const write = await cost((index) => ['update_node', { id: 'plain.md', content: `text ${index}` }]);
    const resolve = await cost((index) => [
      'graph_update',
      { updates: [{ node_id: idOf(count - 1 - index), resolved: true, add_evidence: [{ type: 'note', ref: 'done' }] }] },
    ]);
    const nodes = Array.from({ length: 1000 }, (_, index) => ({ ref: `n${index}`, summary: `New task ${index}` }));
    const plan = await costOf(server, ['graph_plan', { nodes }]);
    await server.close();
    return [
      ...rows,
      {
        work: '`graph_update`, resolve',
        measured: ms(resolve),
        beside: `one update of a plain note ${ms(write)}`,
        goal: 'that and 5 ms',
        isMet: resolve <= write + 5,
      },
      { work: '`graph_plan` of 1,000 nodes', measured: ms(plan), goal: '5 s', isMet: plan <= 5000 },
    ];
  });
}

const idOf = (index: number): string => `t_${String(index).padStart(26, '0')}`;

/** A project whose tasks hang ten below each, every seventh waiting for the one before it. */
export function writeProject(vault: string, count: number): void {
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
