import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';

/** A process as a lock file names it: enough to tell it from a later one with the same number. */
export interface ProcessRecord {
  readonly pid: number;
  /** Start time in the kernel's ticks; null where the system does not tell. */
  readonly start: string | null;
  readonly boot: string | null;
  /** The pid namespace: a number means nothing outside it. */
  readonly namespace: string | null;
  readonly host: string;
  /** The machine, told from others with its name and from clones of it; null where that is not known. */
  readonly machine: string | null;
}

/** This process, and what it can say of others. */
export interface ProcessIdentity {
  readonly record: ProcessRecord;
  /** `unknown`: it runs (or ran) where this process cannot look, or another one may have its number by now. */
  liveness(other: ProcessRecord): 'alive' | 'dead' | 'unknown';
}

/** The identity of this process on this machine. */
export function thisProcess(): ProcessIdentity {
  return identityOf({
    pid: process.pid,
    start: startOf(process.pid),
    boot: readLine('/proc/sys/kernel/random/boot_id'),
    namespace: namespaceOf(),
    host: hostname(),
    machine: machineOf(),
  });
}

/** A process of this record, which can look at the processes of its own boot and namespace. */
export function identityOf(record: ProcessRecord): ProcessIdentity {
  return {
    record,
    liveness(other) {
      // Another boot of this machine is over; another machine may be running, whatever its name.
      if (other.boot !== record.boot) return isKnown(other.machine) && other.machine === record.machine ? 'dead' : 'unknown';
      if (other.namespace !== record.namespace || (other.boot === null && other.host !== record.host)) return 'unknown';
      if (!isRunning(other.pid)) return 'dead';
      // Numbers of processes come round again: only the time of its start tells whose this one is.
      const start = startOf(other.pid);
      if (start === null || other.start === null) return 'unknown';
      return start === other.start ? 'alive' : 'dead';
    },
  };
}

function isKnown(machine: unknown): machine is string {
  return typeof machine === 'string' && machine !== '';
}

/** Copies of a machine have its id too, but no two on one network have the same hardware addresses. */
function machineOf(): string | null {
  const id = readLine('/etc/machine-id');
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal }) => !internal)
    .map(({ mac }) => mac);
  if (id === null || id === '' || addresses.length === 0) return null;
  return createHash('sha256')
    .update([id, ...new Set(addresses.toSorted())].join(' '))
    .digest('hex')
    .slice(0, 16);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return stateOf(pid) !== 'Z';
}

/** The fields of `/proc/<pid>/stat` after the command name, which may hold spaces and brackets. */
function statFields(pid: number): readonly string[] | null {
  const line = readLine(`/proc/${pid}/stat`);
  return line === null ? null : line.slice(line.lastIndexOf(')') + 2).split(' ');
}

function startOf(pid: number): string | null {
  return statFields(pid)?.[19] ?? null;
}

/** A killed process whose parent has not looked yet is a `Z`: it holds nothing any more. */
function stateOf(pid: number): string | null {
  return statFields(pid)?.[0] ?? null;
}

function namespaceOf(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

function readLine(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
