import { join, relative } from 'node:path';

import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';

import { makeVault } from '../../make-vault.ts';
import { cpuOf, residentOf, untilQuiet } from '../measure/process.ts';
import { median, ms } from '../measure/rows.ts';
import { costOf, startProgram, type Ask, type BenchServer } from '../measure/server.ts';
import { spreadOver } from '../measure/vaults.ts';
import { cpuOfCommand, notesBelow } from '../measure/yardsticks.ts';
import { readWords } from '../vault/words.ts';
import { addHub, type Hub } from './hub.ts';
import type { Peer } from './peer-list.ts';

/** What is asked of every program, in the order of the table. */
export const WORKS = [
  'first start to its first answer',
  'another start to its first answer',
  'read a note',
  'search for a word in all texts',
  'notes with a tag',
  'notes with a value of a property',
  'rename with 100 backlinks',
  'resident memory',
] as const;
export type Cells = Readonly<Partial<Record<(typeof WORKS)[number], string>>>;

const CALLS = 20;
/** So many calls are not measured, as V8 compiles meanwhile; what takes long is asked fewer times. */
const FIRST_CALLS = 3;
const LONG_ENOUGH = 15_000;
const QUIETLY = { FOAM_TELEMETRY: 'off', DO_NOT_TRACK: '1' };

/** Measures one program on a vault of its own. */
export async function measurePeer(peer: Peer, folder: string, count: number): Promise<Cells> {
  const vault = join(folder, 'vault');
  makeVault(vault, count);
  const hub = addHub(vault);
  const notes = notesBelow(vault);
  const { some } = readWords(notes);
  const ids = spreadOver(notes, CALLS).map((note) => relative(vault, note));
  const cells: Record<string, string> = {};
  const noted = (work: 'search' | 'byTag' | 'byProperty', cell: string): string =>
    peer.notes?.[work] === undefined ? cell : `${cell} (${peer.notes[work]})`;
  if (peer.server !== undefined) {
    const start = async (): Promise<readonly [BenchServer, number]> => {
      const server = await startProgram(peer.server?.(vault) ?? [], QUIETLY);
      const first = peer.read?.(vault, ids[0] ?? '');
      if (first !== undefined) await server.call(first[0], first[1]);
      return [server, cpuOf(server.pid)];
    };
    const [cold, coldCost] = await start();
    // What it does in the background belongs to its first start, and is kept for the next where it keeps anything.
    await untilQuiet(cold.pid);
    await cold.close();
    const [server, warmCost] = await start();
    await untilQuiet(server.pid);
    cells['first start to its first answer'] = ms(coldCost);
    cells['another start to its first answer'] = ms(warmCost);
    const ask = async (to: ((index: number) => Ask) | undefined): Promise<string | null> =>
      to === undefined ? null : ms(await costOfMany(server, to));
    const at = (index: number): string => ids[index % ids.length] ?? '';
    const { read, search, byTag, byProperty } = peer;
    cells['read a note'] = (await ask(read && ((index) => read(vault, at(index))))) ?? '–';
    cells['search for a word in all texts'] = noted('search', (await ask(search && ((index) => search(some[index] ?? '')))) ?? '–');
    cells['notes with a tag'] = noted('byTag', (await ask(byTag && (() => byTag('project/alpha')))) ?? '–');
    cells['notes with a value of a property'] = noted(
      'byProperty',
      (await ask(byProperty && ((index) => byProperty('rating', index % 10)))) ?? '–',
    );
    cells['resident memory'] = `${residentOf(server.pid).now.toFixed(0)} MB`;
    if (peer.rename !== undefined) cells['rename with 100 backlinks'] = await renameCell(server, peer.rename(vault, hub), hub);
    await server.close();
  }
  if (peer.searchCommand !== undefined) {
    const costs = some.slice(0, 5).map((word) => cpuOfCommand(peer.searchCommand?.(vault, word) ?? []));
    cells['search for a word in all texts'] = noted('search', ms(median(costs)));
  }
  return cells;
}

/** What a rename cost and how many links follow; what it has cost so far where it does not answer in the client's ten minutes. */
async function renameCell(server: BenchServer, ask: Ask, hub: Hub): Promise<string> {
  const before = cpuOf(server.pid);
  try {
    await server.call(ask[0], ask[1]);
    return `${ms(cpuOf(server.pid) - before)}, ${hub.followed()}`;
  } catch (error) {
    if (!(error instanceof McpError) || error.code !== Number(ErrorCode.RequestTimeout)) throw error;
    return `no answer in ten minutes, after ${ms(cpuOf(server.pid) - before)}`;
  }
}

async function costOfMany(server: BenchServer, ask: (index: number) => Ask): Promise<number> {
  const costs: number[] = [];
  const begin = performance.now();
  for (let index = 0; index < FIRST_CALLS + CALLS && (index < 2 || performance.now() - begin < LONG_ENOUGH); index += 1) {
    costs.push(await costOf(server, ask(index)));
  }
  return median(costs.length > 2 * FIRST_CALLS ? costs.slice(FIRST_CALLS) : costs);
}
