// Writes and reads while another program exchanges folders of the vault with links to the outside.
// By hand: `npx tsx test/trust/exchange/exchange-race.ts 10000`.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { NAMES, NOTE_FOLDERS, VICTIMS, calls, withOutside } from './calls.ts';

/** What came of a race. */
export interface Race {
  readonly done: number;
  readonly refused: number;
  readonly exchanges: number;
  /** What is outside and was not, or is not as it was; and every answer or file of the vault that holds what is outside. */
  readonly breaches: readonly string[];
}

/** So many calls while folders are exchanged. The calls follow from the seed; when an exchange comes in between does not. */
export async function race({ count, seed }: { count: number; seed: number }): Promise<Race> {
  let [done, refused, exchanges] = [0, 0, 0];
  const breaches = await withOutside({ isPrevented: true }, async ({ root, outside, call }) => {
    const attacker = fork(fileURLToPath(new URL('exchanging.mjs', import.meta.url)), [
      outside,
      String(seed),
      ...VICTIMS.map((folder) => join(root, folder)),
    ]);
    await new Promise((resolve) => attacker.once('message', resolve));
    const random = numbers(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    for (let index = 0; index < count; index++) {
      const folder = pick(NOTE_FOLDERS);
      const place = { id: `${folder}/${pick(NAMES)}.md`, folder, index };
      if ((await call(pick(Object.keys(calls) as (keyof typeof calls)[]), place)) === null) done += 1;
      else refused += 1;
    }
    const ended = new Promise<number>((resolve) => {
      attacker.on('message', (message: { exchanges: number }) => resolve(message.exchanges));
    });
    attacker.send('end');
    exchanges = await ended;
  });
  return { done, refused, exchanges, breaches };
}

/** Numbers in [0, 1) that follow from a seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { done, refused, exchanges, breaches } = await race({
    count: Number(process.argv[2] ?? 10_000),
    seed: Number(process.argv[3] ?? 1),
  });
  console.log(`${done} done, ${refused} refused, ${exchanges} exchanges, ${breaches.length} outside`);
  for (const breach of breaches.slice(0, 20)) console.log(`  ${breach}`);
  if (breaches.length > 0) process.exitCode = 1;
}
