import { cpuOf, pause } from '../measure/process.ts';
import { ms, type Row } from '../measure/rows.ts';
import type { BenchVault } from '../measure/vaults.ts';

const STRETCH = 125_000;
const GOAL = 100;
/** After so long at rest it gives back memory, which is work. */
const UNTIL_REST = 20_000;

/** Opens a vault that nobody touches and waits until it is at rest; the rows come when so long has passed, whatever else runs meanwhile. */
export async function startIdle(vault: BenchVault): Promise<() => Promise<Row[]>> {
  const server = await vault.open();
  const spent = (async () => {
    await pause(UNTIL_REST);
    const before = cpuOf(server.pid);
    await pause(STRETCH);
    return cpuOf(server.pid) - before;
  })();
  return async () => {
    const used = await spent;
    await server.close();
    return [{ work: 'a vault at rest, 125 s', before: '700 ms', measured: ms(used), goal: '100 ms', isMet: used <= GOAL }];
  };
}
