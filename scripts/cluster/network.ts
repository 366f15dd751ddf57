import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The machines, by number. */
export const HOSTS = [1, 2, 3] as const;
export type HostNumber = (typeof HOSTS)[number];

/** The address of a machine. All traffic stays in the namespaces, so that any will do. */
export const addressOf = (host: HostNumber): string => `10.77.0.${host}`;

/** Three machines at one switch: a network namespace each, and one with the bridge, where the run itself is. */
export interface Network {
  readonly hub: string;
  readonly nameOf: (host: HostNumber) => string;
}

const PREFIX = 'roux-cluster-';

/** The network of the process with this number. */
export function networkOf(pid: number): Network {
  return { hub: `${PREFIX}${pid}-hub`, nameOf: (host) => `${PREFIX}${pid}-${host}` };
}

/** Makes the namespaces, the bridge and the cables. Throws what `ip` says. */
export function makeNetwork({ hub, nameOf }: Network): void {
  for (const name of [hub, ...HOSTS.map(nameOf)]) {
    ip('netns', 'add', name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
  }
  ip('-n', hub, 'link', 'add', 'switch', 'type', 'bridge');
  ip('-n', hub, 'addr', 'add', '10.77.0.254/24', 'dev', 'switch');
  ip('-n', hub, 'link', 'set', 'switch', 'up');
  for (const host of HOSTS) {
    ip('-n', hub, 'link', 'add', `port${host}`, 'type', 'veth', 'peer', 'name', 'cable', 'netns', nameOf(host));
    ip('-n', hub, 'link', 'set', `port${host}`, 'master', 'switch', 'up');
    ip('-n', nameOf(host), 'addr', 'add', `${addressOf(host)}/24`, 'dev', 'cable');
    ip('-n', nameOf(host), 'link', 'set', 'cable', 'up');
  }
}

/** Pulls the cable of a machine out of the switch, or puts it back. What runs on the machine is told nothing: its own end keeps its carrier. */
export function setCable({ hub }: Network, host: HostNumber, state: 'in' | 'out'): void {
  ip('-n', hub, 'link', 'set', `port${host}`, ...(state === 'in' ? ['master', 'switch'] : ['nomaster']));
}

/** The command line that runs something on a machine. */
export const onHost = (network: Network, host: HostNumber, command: readonly string[]): readonly string[] => [
  'ip',
  'netns',
  'exec',
  network.nameOf(host),
  ...command,
];

/** The processes of a namespace, by number, that have one of these names; all without. */
export function processesOf(namespace: string, names?: readonly string[]): readonly number[] {
  const { stdout } = spawnSync('ip', ['netns', 'pids', namespace], { encoding: 'utf8' });
  const pids = (stdout ?? '').split('\n').filter(Boolean).map(Number);
  return names === undefined ? pids : pids.filter((pid) => names.includes(commandOf(pid)));
}

/** Kills processes as if the power had gone. */
export function kill(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

/** Ends everything in the network, and the network with it. */
export function removeNetwork({ hub, nameOf }: Network): void {
  for (const name of [...HOSTS.map(nameOf), hub]) {
    // Until none is left: one that is killed may have started another.
    for (let tries = 0; tries < 20; tries += 1) {
      const pids = processesOf(name).filter((pid) => pid !== process.pid);
      if (pids.length === 0) break;
      kill(pids);
      spawnSync('sleep', ['0.1']);
    }
    spawnSync('ip', ['netns', 'del', name]);
  }
}

/** The runs that were killed before they could clear away, by the number of their process. */
export function leftovers(): readonly number[] {
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' });
  const pids = [...(stdout ?? '').matchAll(/^roux-cluster-(\d+)-\w+/gm)].map(([, pid]) => Number(pid));
  return [...new Set(pids)].filter((pid) => commandOf(pid) === '');
}

/** The name of a running process; empty when there is none. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr.trim()}`);
}
