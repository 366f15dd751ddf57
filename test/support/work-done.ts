import { Session } from 'node:inspector/promises';

/**
 * How often pieces of code of `src/` ran on this thread while something was done: V8's own counts of functions, branches and loops, which
 * no other process and no clock changes. What Node and packages do is not in it.
 */
export async function workDone(run: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ours = result.filter(({ url }) => url.includes('/src/') && !url.includes('/node_modules/'));
    return ours
      .flatMap(({ functions }) => functions)
      .flatMap(({ ranges }) => ranges)
      .reduce((sum, { count }) => sum + count, 0);
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

/** The least of some tries, which are numbered: what a server does at its own times comes between now and then. */
export async function leastWork(times: number, run: (time: number) => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < times; time += 1) least = Math.min(least, await workDone(() => run(time)));
  return least;
}
