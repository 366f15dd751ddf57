import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeVault } from '../make-vault.ts';
import { cpuOf, median, ms, pause, untilQuiet, type Row } from './measure.ts';
import { startServer } from './server.ts';
import { notesBelow } from './yardsticks.ts';

const ROUNDS = 3;

/** A tag of so many notes is renamed, and folders of more and more files are moved, each beside a rename with as many backlinks. */
export async function benchOrganise(count: number, tagged = 1000): Promise<Row[]> {
  const vault = mkdtempSync(join(tmpdir(), 'roux-bench-organise-'));
  try {
    makeVault(vault, count);
    const notes = notesBelow(vault);
    const step = Math.max(1, Math.floor(notes.length / tagged));
    const carrying = notes.filter((_, index) => index % step === 0).slice(0, tagged);
    for (const note of carrying) appendFileSync(note, '\nA note of #bench/one and of [[Bench Hub]].\n');
    writeFileSync(join(vault, 'Bench Hub.md'), '# Start\n');
    const sizes = [250, 1000];
    for (const size of sizes) {
      mkdirSync(join(vault, `folder ${size}`));
      for (let index = 0; index < size; index += 1) {
        const text = `See [[folder ${size}/note ${index + 1} of ${size}]] and [text](<note ${index + 2} of ${size}.md>).\n`;
        writeFileSync(join(vault, `folder ${size}`, `note ${index} of ${size}.md`), text);
      }
    }

    const server = await startServer(vault);
    await server.call('get_hubs', {});
    await untilQuiet(server.pid);
    const cost = async (from: string, to: string): Promise<number> => {
      const before = cpuOf(server.pid);
      await server.call('rename', { changes: [{ from, to }] });
      const used = cpuOf(server.pid) - before;
      // Displaced files are looked at again after two seconds.
      await pause(2500);
      await untilQuiet(server.pid);
      return used;
    };
    const [tags, links, folders]: [number[], number[], Map<number, number[]>] = [[], [], new Map()];
    let [tag, hub] = ['bench', 'Bench Hub'];
    for (let round = 1; round <= ROUNDS; round += 1) {
      tags.push(await cost(`#${tag}`, `#bench-${round}`));
      links.push(await cost(hub, `Bench Hub ${round}`));
      [tag, hub] = [`bench-${round}`, `Bench Hub ${round}`];
      for (const size of sizes) {
        const [from, to] = round % 2 === 1 ? [`folder ${size}/`, `moved ${size}/`] : [`moved ${size}/`, `folder ${size}/`];
        folders.set(size, [...(folders.get(size) ?? []), await cost(from, to)]);
      }
    }
    await server.close();

    const [few = 1, many = 1] = sizes.map((size) => median(folders.get(size) ?? []));
    return [
      {
        question: `rename of a tag in ${carrying.length} notes among ${count}`,
        value: ms(median(tags)),
        beside: `a rename with as many backlinks ${ms(median(links))}: ${(median(tags) / median(links)).toFixed(2)} ×; goal 1 ×`,
      },
      {
        question: `move of a folder of ${sizes[1]} linked notes`,
        value: ms(many),
        beside: `of ${sizes[0]} notes ${ms(few)}: ${(many / few).toFixed(1)} × for ${(sizes[1] ?? 0) / (sizes[0] ?? 1)} × the files`,
      },
    ];
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}
