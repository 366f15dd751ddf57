import { execFileSync } from 'node:child_process';
import { untilQuiet } from '../measure/process.ts';
import { machine, median, ms, spread, toTable } from '../measure/rows.ts';
import { costsOf, startServer } from '../measure/server.ts';
import type { BenchServer } from '../measure/server.ts';
import { withFolder } from '../measure/vaults.ts';
import { writeProject } from '../tools/tasks.ts';

/**
 * `npx tsx scripts/bench/alone/graph-next.ts [tasks] [sessions]`: `graph_next` in one of so many sessions, each of which holds tasks, in a
 * folder and in a git repository, where claims are not in the notes. CPU of the process that serves all of them. Linux only. Build first.
 */

const [tasks, sessions] = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 30)];
const CALLS = 200;
const FIRST_CALLS = 50;
/** Tasks that each session holds. */
const HELD = 3;
const MAX_MS = 2;

interface Measured {
  readonly reading: readonly number[];
  readonly claiming: readonly number[];
}

async function measure(isRepository: boolean): Promise<Measured> {
  return withFolder(async (root) => {
    writeProject(root, tasks);
    if (isRepository) {
      const git = (...args: readonly string[]): unknown =>
        execFileSync('git', ['-C', root, '-c', 'user.name=bench', '-c', 'user.email=bench', ...args]);
      git('init', '--quiet');
      git('add', 'projects');
      git('commit', '--quiet', '--message', 'tasks');
    }
    const opened: BenchServer[] = [];
    for (let at = 0; at < sessions; at += 1) opened.push(await startServer(root));
    try {
      for (const each of opened) for (let held = 0; held < HELD; held += 1) await each.call('graph_next', { claim: true });
      const [first, last] = [opened[0], opened.at(-1)];
      if (first === undefined || last === undefined) throw new Error('no session');
      await untilQuiet(first.pid);
      // Asked by a relay, which is most of them; what it costs is paid by the first.
      const asked: BenchServer = { ...last, pid: first.pid };
      const reading = await costsOf(asked, () => ['graph_next', {}], { calls: CALLS, first: FIRST_CALLS });
      const claiming = await costsOf(asked, () => ['graph_next', { claim: true }], { calls: CALLS / 4, first: 5 });
      return { reading, claiming };
    } finally {
      await Promise.all(opened.map((each) => each.close()));
    }
  });
}

const rows = [];
for (const isRepository of [false, true]) {
  const { reading, claiming } = await measure(isRepository);
  const place = isRepository ? 'a git repository' : 'a folder';
  rows.push({
    work: `\`graph_next\` in ${place}`,
    measured: spread(reading),
    beside: `with \`claim\` ${ms(median(claiming))}`,
    goal: `${MAX_MS} ms`,
    isMet: median(reading) <= MAX_MS,
  });
}
console.log(
  `${machine()}\n\n${tasks} tasks, ${sessions} sessions that hold ${HELD} each; CPU of the process that serves them, median and 97th percentile of ${CALLS} calls.\n`,
);
console.log(toTable(rows));
process.exit(0);
