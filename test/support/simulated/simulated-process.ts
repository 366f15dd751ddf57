import type { ProcessIdentity } from '../../../src/store/folder/process-identity.ts';

/** Processes on a simulated machine: each is dead for the next. */
export function simulatedProcess(pid: number, isAlive: (pid: number) => boolean = () => false): ProcessIdentity {
  return {
    record: { pid, start: null, boot: 'simulated', namespace: null, host: 'simulated', machine: 'simulated' },
    liveness: (other) => (other.pid === pid || isAlive(other.pid) ? 'alive' : 'dead'),
  };
}
