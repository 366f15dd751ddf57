import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { cpuHere, cpuOf, untilQuiet, writtenBy } from '../measure/process.ts';
import { median, ms, times, type Row } from '../measure/rows.ts';
import { openServer } from '../measure/server.ts';
import { withFolder } from '../measure/vaults.ts';

const ROUNDS = 7;
const PARAGRAPH = 'Some words of a paragraph with a [[Link]] and a #tag, and more of it.\n\n';

/** The same patch of a small note and of one of a megabyte: what the second costs besides writing its bytes. */
export async function benchPatches(): Promise<Row[]> {
  return withFolder(async (vault) => {
    const small = `## Log\n- x\n\n${PARAGRAPH.repeat(40)}`;
    const large = `## Log\n- x\n\n${Array.from({ length: 350 }, (_, part) => `## Part ${part}\n\n${PARAGRAPH.repeat(40)}`).join('')}`;
    writeFileSync(join(vault, 'small.md'), small);
    writeFileSync(join(vault, 'large.md'), large);
    writeFileSync(join(vault, 'Link.md'), '');
    const server = await openServer(vault);
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
    const [few, many] = [await cost('small.md'), await cost('large.md')];
    await server.close();
    const bytes = Buffer.from(large);
    const plain = median(Array.from({ length: ROUNDS }, () => cpuHere(() => writeFileSync(join(vault, 'plain.bin'), bytes))));
    const ratio = (many.cpu - plain) / few.cpu;
    return [
      {
        work: 'one edit of a note of 1 MB',
        measured: `${ms(many.cpu)}, ${times(ratio)}`,
        beside: `of 3 kB ${ms(few.cpu)}, writing the bytes ${ms(plain)}; answered in ${ms(many.wall)} and ${ms(few.wall)}; ${(many.written / bytes.length).toFixed(2)} × its bytes written`,
        goal: '2 ×',
        isMet: ratio <= 2,
      },
    ];
  });
}
