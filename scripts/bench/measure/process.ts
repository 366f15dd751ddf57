import { readdirSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** CPU time of a process so far, in milliseconds, all its threads together. Linux only: it reads `/proc`. */
export function cpuOf(pid: number): number {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread ended between listing and reading.
    }
  }
  return nanoseconds / 1e6;
}

/** Resident memory of a process in MB. */
export function residentOf(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
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

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** One line of the result: what was measured, beside a yardstick or a goal of the same run. */
export interface Row {
  readonly question: string;
  readonly value: string;
  readonly beside: string;
}

/** The machine, for the head of a table. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  return `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
}

/** A Markdown table of rows. */
export function toTable(rows: readonly Row[]): string {
  const lines = rows.map(({ question, value, beside }) => `| ${question} | ${value} | ${beside} |`);
  return ['| what | measured | beside |', '|---|---|---|', ...lines].join('\n');
}

export const ms = (value: number): string =>
  value < 10 ? `${value.toFixed(2)} ms` : value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(2)} s`;

/** CPU time of a process's main thread so far, in milliseconds: what its callers wait for. */
export function mainThreadCpuOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

export const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Resolves when a process has used hardly any CPU for a second. */
export async function untilQuiet(pid: number): Promise<void> {
  for (let last = cpuOf(pid); ;) {
    await pause(1000);
    const now = cpuOf(pid);
    if (now - last < 25) return;
    last = now;
  }
}
