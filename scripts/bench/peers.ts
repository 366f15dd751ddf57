/** `npm run bench:peers -- [--notes 10000] [--doc]`: roux beside other programs for the same vault, asked by the same client. They come from npm. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { writeIntoDocs } from './measure/docs.ts';
import { untilQuiet } from './measure/process.ts';
import { machine, median, ms, toMarkdown } from './measure/rows.ts';
import { costsOf, openServer, startProgram, type Ask, type BenchServer } from './measure/server.ts';
import { withFolder } from './measure/vaults.ts';
import { measurePeer, WORKS, type Cells } from './peers/compare.ts';
import { installPeers, VERSIONS } from './peers/install.ts';
import { memoryServer, peersIn } from './peers/peer-list.ts';
import { importMemory, writeMemory } from './tools/memory-tools.ts';

const { values } = parseArgs({ options: { notes: { type: 'string' }, doc: { type: 'boolean' } } });
const count = Number(values.notes ?? 10_000);
const OBSERVATION = `one observation among ${count.toLocaleString('en')} entities`;

await withFolder(async (folder) => {
  console.error('installing …');
  const packages = installPeers(folder);
  const columns: { readonly name: string; readonly cells: Cells }[] = [];
  for (const [index, peer] of peersIn(packages).entries()) {
    console.error(`${peer.name} …`);
    const own = join(folder, `${index}`);
    mkdirSync(own);
    columns.push({ name: peer.name, cells: await measurePeer(peer, own, count) });
  }
  console.error('server-memory …');
  const [ours, theirs] = await observations(folder, packages);
  const names = columns.map(({ name }) => name);
  const lines = WORKS.map((work) => [work, ...columns.map(({ cells }) => cells[work] ?? '–')]);
  const observed = [OBSERVATION, ms(ours), ...names.slice(1).map(() => '–')];
  const table = toMarkdown(
    ['', ...names, `server-memory ${VERSIONS['@modelcontextprotocol/server-memory']}`],
    [...lines.map((line) => [...line, '–']), [...observed, ms(theirs)]],
  );
  const said = `${machine()}. A generated vault of ${count.toLocaleString('en')} notes.`;
  console.log(`\n${said}\n\n${table}`);
  if (values.doc === true) writeIntoDocs('peers', `${said}\n\n${table}`);
});
process.exit(0);

/** What one observation costs roux and the public memory server, on the same entities. */
async function observations(folder: string, packages: string): Promise<readonly [ours: number, theirs: number]> {
  const [file, vault] = [join(folder, 'memory.jsonl'), join(folder, 'memory')];
  writeMemory(file, count);
  importMemory(file, vault);
  const ask = (index: number): Ask => [
    'add_observations',
    { observations: [{ entityName: `Entity ${(index + 5) * 7}`, contents: [`new ${index}`] }] },
  ];
  const cost = async (server: BenchServer): Promise<number> => {
    await untilQuiet(server.pid);
    const used = median(await costsOf(server, ask, { calls: 25, first: 5 }));
    await server.close();
    return used;
  };
  return [await cost(await openServer(vault)), await cost(await startProgram(memoryServer(packages), { MEMORY_FILE_PATH: file }))];
}
