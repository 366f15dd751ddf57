import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { cpuHere, cpuOf, median, ms, untilQuiet, writtenBy, type Row } from './measure.ts';
import { startServer } from './server.ts';

const ROUNDS = 15;
const PARAGRAPH = 'Some words of a paragraph with a [[Link]] and a #tag, and more of it.\n\n';

/** The same patch of a small note and of one of a megabyte: what the second costs besides writing its bytes. */
export async function benchPatches(): Promise<Row[]> {
  const vault = mkdtempSync(join(tmpdir(), 'roux-bench-patch-'));
  try {
    const small = `## Log\n- x\n\n${PARAGRAPH.repeat(40)}`;
    const large = `## Log\n- x\n\n${Array.from({ length: 350 }, (_, part) => `## Part ${part}\n\n${PARAGRAPH.repeat(40)}`).join('')}`;
    writeFileSync(join(vault, 'small.md'), small);
    writeFileSync(join(vault, 'large.md'), large);
    writeFileSync(join(vault, 'Link.md'), '');
    const server = await startServer(vault);
    await server.call('get_hubs', {});
    const cost = async (id: string): Promise<{ readonly cpu: number; readonly wall: number; readonly written: number }> => {
      const [used, waited]: [number[], number[]] = [[], []];
      let written = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        await untilQuiet(server.pid);
        const before = { cpu: cpuOf(server.pid), written: writtenBy(server.pid), at: performance.now() };
        await server.call('update_node', { id, edits: [{ find: `- x${'y'.repeat(round)}\n`, replace: `- x${'y'.repeat(round + 1)}\n` }] });
        waited.push(performance.now() - before.at);
        used.push(cpuOf(server.pid) - before.cpu);
        written = writtenBy(server.pid) - before.written;
      }
      return { cpu: median(used), wall: median(waited), written };
    };
    const [few, many] = [await cost('small'), await cost('large')];
    await server.close();
    const bytes = Buffer.from(large);
    const plain = median(Array.from({ length: ROUNDS }, () => cpuHere(() => writeFileSync(join(vault, 'plain.bin'), bytes))));
    return [
      {
        question: `one edit of a note of ${Math.round(bytes.length / 1e5) / 10} MB, ${(many.written / bytes.length).toFixed(2)} × its bytes written`,
        value: `${ms(many.cpu)}, answered in ${ms(many.wall)}`,
        beside: `of 3 kB ${ms(few.cpu)}, answered in ${ms(few.wall)}, writing the bytes ${ms(plain)}: ${((many.cpu - plain) / few.cpu).toFixed(1)} ×; goal 2 ×`,
      },
    ];
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}
