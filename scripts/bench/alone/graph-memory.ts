/**
 * What the graph alone costs: `node --expose-gc --import tsx scripts/bench/alone/graph-memory.ts [notes]`.
 * The notes are generated, read and let go, so that what is left in memory is the graph's.
 */
import { openGraph } from '../../../src/graph/open-graph.ts';
import { parseNote } from '../../../src/note/parse.ts';
import { toNotePath } from '../../../src/note/path.ts';
import { generateNotes } from '../../make-vault.ts';
import { machine } from '../measure/rows.ts';

/** Notes read ahead of each measured batch: few enough to stay young, many enough that the clock does not count. */
const SLICE = 1000;

const count = Number(process.argv[2] ?? 100_000);
const before = liveBytes();
const graph = openGraph();
let links = 0;
let cpu = 0;
graph.batch(() => {
  let slice: Parameters<typeof graph.put>[] = [];
  const put = (): void => {
    const start = process.cpuUsage();
    for (const [note, file] of slice) graph.put(note, file);
    cpu += spent(start);
    slice = [];
  };
  for (const { path, text } of generateNotes(count)) {
    const notePath = toNotePath(path);
    if (notePath === null) continue;
    const note = parseNote(notePath, text);
    links += note.links.length;
    // Every file has times and a hash of its own.
    const time = 1_700_000_000_000_000_000n + BigInt(links);
    const stamp = { size: text.length, mtimeNs: time, ctimeNs: time + 1n, ino: time + 2n };
    slice.push([note, { stamp, hash: (links * 2_654_435_761).toString(16).padStart(64, '0') }]);
    if (slice.length === SLICE) put();
  }
  put();
  cpu -= spent({ user: 0, system: 0 });
});
cpu += spent({ user: 0, system: 0 });

const used = liveBytes() - before;
console.log(machine());
console.log(`${graph.size} notes, ${links} links of which ${graph.unresolved().reduce((sum, ghost) => sum + ghost.count, 0)} unresolved`);
console.log(`${(used / 2 ** 20).toFixed(0)} MB of heap and buffers, ${(used / graph.size).toFixed(0)} bytes a note`);
console.log(`${((cpu / graph.size) * 1000).toFixed(1)} µs of CPU a note, links resolved`);

function spent(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage();
  return (user - start.user + system - start.system) / 1000;
}

function liveBytes(): number {
  // Twice: the first collection leaves what it finds while it runs.
  for (let round = 0; round < 2; round += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
