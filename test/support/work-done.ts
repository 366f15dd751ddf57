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
    // Anew each time: code that V8 has optimised since does not count all that it does.
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
