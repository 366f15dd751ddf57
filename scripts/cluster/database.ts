import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { waitFor } from '../../test/support/wait-for.ts';
import { addressOf, HOSTS, kill, onHost, processesOf } from './network.ts';
import type { HostNumber, Network } from './network.ts';
import { PASSWORDS, patroniConfig } from './patroni-config.ts';

/** PostgreSQL on three machines: one takes writes, one has each commit before it is acknowledged, and one follows. */
export interface Database {
  /** Starts etcd and Patroni of a machine where they do not run. */
  start(host: HostNumber): void;
  /** `kill -9` of everything of a machine but roux: PostgreSQL, Patroni, etcd. */
  killHost(host: HostNumber): void;
  /** `kill -9` of PostgreSQL and Patroni on every machine at once; etcd stays. */
  killStore(): void;
  /** The machine that takes writes, as another machine than `not` sees it; null: none at the moment. */
  leader(not?: HostNumber): Promise<HostNumber | null>;
  /** Has another machine take the writes, in order. */
  switchOver(): Promise<void>;
  /** Resolves when all three run and each commit is on two of them. */
  whole(): Promise<void>;
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** So long a server has to come back by itself. */
const REPAIR_MS = 40_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks the Patroni of a machine to do something. */
const post = (host: HostNumber, what: string, body: object): Promise<Response> =>
  fetch(`http://${addressOf(host)}:8008/${what}`, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(60_000) });

/** Prepares the machines' folders; nothing is started. */
export function openDatabase(network: Network, folder: string): Database {
  for (const host of HOSTS) {
    const own = folderOf(host);
    mkdirSync(own, { mode: 0o700 });
    writeFileSync(join(own, 'patroni.json'), patroniConfig(host, own));
    spawnSync('chown', ['-R', 'postgres:', own]);
  }
  chmodSync(folder, 0o755);

  function folderOf(host: HostNumber): string {
    return join(folder, `store${host}`);
  }

  /** Runs a program on a machine as PostgreSQL's user; what it says goes into a file. */
  function run(host: HostNumber, name: string, command: readonly string[]): void {
    const log = openSync(join(folder, `${name}${host}.log`), 'a');
    const asUser = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command];
    const [program = '', ...args] = onHost(network, host, asUser);
    spawn(program, args, { cwd: folderOf(host), stdio: ['ignore', log, log], detached: true }).unref();
    closeSync(log);
  }

  async function members(not?: HostNumber): Promise<readonly Member[]> {
    for (const host of HOSTS) {
      if (host === not) continue;
      try {
        const answer = await fetch(`http://${addressOf(host)}:8008/cluster`, { signal: AbortSignal.timeout(1500) });
        return ((await answer.json()) as { members: readonly Member[] }).members;
      } catch {
        // The next one may know.
      }
    }
    return [];
  }

  const database: Database = {
    start(host) {
      const namespace = network.nameOf(host);
      if (processesOf(namespace, ['etcd']).length === 0) run(host, 'etcd', etcdCommand(host, join(folderOf(host), 'etcd')));
      if (processesOf(namespace, ['patroni']).length === 0) run(host, 'patroni', ['patroni', join(folderOf(host), 'patroni.json')]);
    },
    killHost: (host) => kill(processesOf(network.nameOf(host), ['patroni', 'etcd', 'postgres'])),
    killStore: () => kill(HOSTS.flatMap((host) => processesOf(network.nameOf(host), ['patroni', 'postgres']))),
    async leader(not) {
      const found = (await members(not)).find(({ role, state }) => role === 'leader' && state === 'running');
      return HOSTS.find((host) => `host${host}` === found?.name && host !== not) ?? null;
    },
    async switchOver() {
      const from = await waitFor(() => database.leader(), { what: 'a leader', timeoutMs: 60_000 });
      // Only the machine that has every commit takes over; it may not be told yet.
      await waitFor(
        async () => {
          await pause(500);
          return (await post(from, 'switchover', { leader: `host${from}` })).ok;
        },
        { what: 'a switchover', timeoutMs: 60_000 },
      );
      await waitFor(async () => ((await database.leader()) ?? from) !== from, { what: 'another leader', timeoutMs: 60_000 });
    },
    async whole() {
      const begun = performance.now();
      const copied = new Set<string>();
      const isWhole = async (): Promise<boolean> => {
        await pause(300);
        const all = await members();
        const running = all.filter(({ state }) => state === 'running' || state === 'streaming');
        const roles = running.map(({ role }) => role);
        if (roles.length === HOSTS.length && roles.includes('leader') && roles.includes('sync_standby')) return true;
        // As people do with one that cannot follow the others any more: it is made anew from them.
        if (performance.now() - begun < REPAIR_MS || !roles.includes('leader')) return false;
        for (const host of HOSTS.filter((each) => !running.some(({ name }) => name === `host${each}`))) {
          if (copied.has(`host${host}`)) continue;
          const answer = await post(host, 'reinitialize', { force: true }).catch(() => null);
          if (answer?.ok !== true) continue;
          copied.add(`host${host}`);
          console.log(`The PostgreSQL of machine ${host} could not follow the others, and is copied anew.`);
        }
        return false;
      };
      await waitFor(isWhole, { what: 'three servers, of which one has every commit', timeoutMs: 180_000 });
    },
  };
  return database;
}

/** A third of an etcd. */
function etcdCommand(host: HostNumber, folder: string): readonly string[] {
  const urlOf = (each: HostNumber, port: number): string => `http://${addressOf(each)}:${port}`;
  const [peers, clients] = [urlOf(host, 2380), urlOf(host, 2379)];
  const settings = {
    name: `host${host}`,
    'data-dir': folder,
    logger: 'zap',
    'log-level': 'warn',
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'initial-cluster': HOSTS.map((each) => `host${each}=${urlOf(each, 2380)}`).join(','),
    // Other work on the machine holds it up at times.
    'heartbeat-interval': '200',
    'election-timeout': '2000',
  };
  return ['etcd', ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])];
}

/** Makes the database and the role that roux uses, on the machine that takes writes. */
export async function makeTeam(leader: HostNumber): Promise<void> {
  const client = new Client({ host: addressOf(leader), user: 'postgres', password: PASSWORDS.postgres, database: 'postgres', ssl: false });
  await client.connect();
  try {
    await client.query(`CREATE ROLE writer LOGIN PASSWORD '${PASSWORDS.writer}'`);
    await client.query('CREATE DATABASE team OWNER writer');
  } finally {
    await client.end();
  }
}

/** The URL of the vault: every machine is asked, and the one that takes writes is meant. */
export const storeUrl: string = `postgres://writer@${HOSTS.map(addressOf).join(',')}/team/notes?sslmode=disable&target_session_attrs=read-write&connect_timeout=3`;
