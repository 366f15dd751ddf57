import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of a process so far, in milliseconds, all its threads together. Linux only: it reads `/proc`. */
export function cpuOf(pid: number): number {
  return sumOfThreads(pid, ([ran = 0]) => ran);
}

/** The same with the time that its threads were ready to run and waited for a core: on a busy machine a process may be far from done and get none. */
function demandOf(pid: number): number {
  return sumOfThreads(pid, ([ran = 0, waited = 0]) => ran + waited);
}

/** Milliseconds, taken from what the scheduler says of each thread: nanoseconds that it ran, and that it waited. */
function sumOfThreads(pid: number, take: (times: readonly number[]) => number): number {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += take(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ').map(Number));
    } catch {
      // The thread ended between listing and reading.
    }
  }
  return nanoseconds / 1e6;
}

/** CPU time of a process's main thread so far, in milliseconds: what its callers wait for. */
export function mainThreadCpuOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Resident memory of a process in MB, now and the most it has had. */
export function residentOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

/** inotify watches that a process holds. */
export function watchesOf(pid: number): number {
  let count = 0;
  for (const descriptor of readdirSync(`/proc/${pid}/fdinfo`)) {
    try {
      count += readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8').match(/^inotify /gm)?.length ?? 0;
    } catch {
      // Closed between listing and reading.
    }
  }
  return count;
}

/** Bytes that a process has handed to `write` so far, whatever of it reached a disk. */
export function writtenBy(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
}

/** CPU time of this process for one call, in milliseconds. */
export function cpuHere(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1000;
}

export const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Resolves when a process has wanted hardly any CPU for a second. */
export async function untilQuiet(pid: number): Promise<void> {
  for (let last = demandOf(pid); ;) {
    await pause(1000);
    const now = demandOf(pid);
    if (now - last < 25) return;
    last = now;
  }
}
