import { Session } from 'node:inspector/promises';

/**
 * How often pieces of code of `src/` ran on this thread while something was done: V8's own counts of functions, branches and loops, which
 * no other process and no clock changes. What Node and packages do is not in it.
 */
export async function workDone(run: () => Promise<unknown>): Promise<number> {
  return (await countWork(run)).reduce((sum, { count }) => sum + count, 0);
}

/** The functions that had most of it, in words: for the message of a test that finds too much. */
export async function mostWorkDone(run: () => Promise<unknown>): Promise<string> {
  const counted = (await countWork(run)).toSorted((a, b) => b.count - a.count).slice(0, 12);
  return counted.map(({ file, name, count }) => `${file} ${name}: ${count}`).join('; ');
}

interface FunctionWork {
  readonly file: string;
  readonly name: string;
  readonly count: number;
}

async function countWork(run: () => Promise<unknown>): Promise<readonly FunctionWork[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    // Anew each time: code that V8 has optimised since does not count all that it does.
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ours = result.filter(({ url }) => url.includes('/src/') && !url.includes('/node_modules/'));
    return ours.flatMap(({ url, functions }) =>
      functions.map(({ functionName, ranges }) => ({
        file: url.slice(url.lastIndexOf('/src/') + 1),
        name: functionName,
        count: ranges.reduce((sum, { count }) => sum + count, 0),
      })),
    );
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}
