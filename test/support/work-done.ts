import { Session } from 'node:inspector/promises';

/** How often pieces of code of `src/` ran on this thread while something was done. */
export type WorkDone = (run: () => Promise<unknown>) => Promise<number>;

/**
 * Runs with what counts work: V8's own counts of functions, branches and loops, which no other process and no clock changes. What Node
 * and packages do is not in it.
 */
export async function withWorkCounted<T>(run: (workDone: WorkDone) => Promise<T>): Promise<T> {
  const session = new Session();
  session.connect();
  /** The counts since the last time. */
  const take = async (): Promise<number> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ours = result.filter(({ url }) => url.includes('/src/') && !url.includes('/node_modules/'));
    return ours
      .flatMap(({ functions }) => functions)
      .flatMap(({ ranges }) => ranges)
      .reduce((sum, { count }) => sum + count, 0);
  };
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return await run(async (work) => {
      await take();
      await work();
      return take();
    });
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}
