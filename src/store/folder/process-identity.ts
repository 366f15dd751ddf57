import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import type { NamedProcess } from '../../ports.ts';

/** Identifies a process in a lock file, also against later processes with the same pid. */
export interface ProcessRecord {
  readonly pid: number;
  /** Start time in kernel ticks; null where the system does not provide it. */
  readonly start: string | null;
  readonly boot: string | null;
  /** The pid namespace, outside of which the pid means nothing. */
  readonly namespace: string | null;
  readonly host: string;
  /** Identifies the machine, also against others with its name and clones of it; null when unknown. */
  readonly machine: string | null;
}

/** Identity of this process, with a check of others. */
export interface ProcessIdentity {
  readonly record: ProcessRecord;
  /** `unknown`: it runs (or ran) where this process cannot look, or another one may have its pid now. */
  liveness(other: ProcessRecord): 'alive' | 'dead' | 'unknown';
}

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

/** Creates the identity of a process, which can check processes of its own boot and namespace. */
export function identityOf(record: ProcessRecord): ProcessIdentity {
  return {
    record,
    liveness(other) {
      // Another boot of this machine is over; another machine may be running, whatever its name.
      if (other.boot !== record.boot) return isKnown(other.machine) && other.machine === record.machine ? 'dead' : 'unknown';
      if (other.namespace !== record.namespace || (other.boot === null && other.host !== record.host)) return 'unknown';
      if (!isRunning(other.pid)) return 'dead';
      // Pids are reused: only the start time identifies the process.
      const start = startOf(other.pid);
      if (start === null || other.start === null) return 'unknown';
      return start === other.start ? 'alive' : 'dead';
    },
  };
}

/** Names a process in one word, for claims in notes, so that processes of the same boot can tell whether it has ended. */
export function nameProcess(self: ProcessIdentity): NamedProcess {
  const { record } = self;
  const place = createHash('sha256')
    .update(JSON.stringify([record.boot, record.namespace, record.host]))
    .digest('hex')
    .slice(0, 16);
  return {
    name: `${place}.${record.pid}.${record.start ?? ''}`,
    liveness(name) {
      const [, where, pid, start] = /^([0-9a-f]{16})\.(\d{1,10})\.(\d{0,20})(?![^./])/.exec(name) ?? [];
      if (where !== place) return 'unknown';
      return self.liveness({ ...record, pid: Number(pid), start: start === '' || start === undefined ? null : start });
    },
  };
}

function isKnown(machine: unknown): machine is string {
  return typeof machine === 'string' && machine !== '';
}

/** Clones of a machine share its id, but no two machines on one network share hardware addresses. */
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
    // EPERM: it runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return stateOf(pid) !== 'Z';
}

/** Returns the fields of `/proc/<pid>/stat` after the command name, which may contain spaces and parentheses. */
function statFields(pid: number): readonly string[] | null {
  const line = readLine(`/proc/${pid}/stat`);
  return line === null ? null : line.slice(line.lastIndexOf(')') + 2).split(' ');
}

function startOf(pid: number): string | null {
  return statFields(pid)?.[19] ?? null;
}

/** Returns the process state. `Z` is a zombie: killed, but its parent has not reaped it. */
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
