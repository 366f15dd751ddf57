import type { Database } from './database.ts';
import type { Machine } from './machine.ts';
import { HOSTS, setCable } from './network.ts';
import type { HostNumber, Network } from './network.ts';
import { waitFor } from '../../test/support/wait-for.ts';

/** What a failure is made of. */
export interface Scene {
  readonly network: Network;
  readonly database: Database;
  readonly machines: Readonly<Record<HostNumber, Machine>>;
  /** Which failure of its kind this is, from 0. */
  readonly turn: number;
}

/** A kind of failure: what breaks, and how it is mended. It resolves when it is mended, as far as people would do it. */
export interface Failure {
  readonly what: string;
  happen(scene: Scene): Promise<void>;
}

const CUT_MS = 6_000;
/** Longer than a lost leader is waited for: another machine takes its place. */
const LONG_CUT_MS = 30_000;
const CLOCKS = ['+1h', '-1h', '+1y', '-1y'];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The kinds, by the name that the command takes. */
export const FAILURES: Readonly<Record<string, Failure>> = {
  host: {
    what: 'the host of PostgreSQL killed, every process of it; another one takes its place',
    async happen({ database }) {
      const host = await leaderOf(database);
      database.killHost(host);
      await waitFor(() => slowly(() => database.leader(host)), { what: 'another leader', timeoutMs: 90_000 });
      await pause(2_000);
      database.start(host);
    },
  },
  cable: {
    what: 'the cable of a machine pulled, of the leader every other time, every third time until another one has taken its place',
    async happen({ database, network, turn }) {
      const leader = await leaderOf(database);
      const host = turn % 2 === 0 ? leader : ((((leader + turn) % HOSTS.length) + 1) as HostNumber);
      setCable(network, host, 'out');
      try {
        await pause(turn % 3 === 2 ? LONG_CUT_MS : CUT_MS);
      } finally {
        setCable(network, host, 'in');
      }
    },
  },
  failover: {
    what: 'another host takes the writes, in order (switchover)',
    happen: ({ database }) => database.switchOver(),
  },
  store: {
    what: 'PostgreSQL and Patroni killed on all three hosts at once, and started again',
    async happen({ database }) {
      database.killStore();
      await pause(2_000);
      for (const host of HOSTS) database.start(host);
    },
  },
  server: {
    what: 'a roux server killed, and started again',
    async happen({ machines, turn }) {
      const machine = machines[HOSTS[turn % HOSTS.length] ?? 1];
      await machine.killServer();
      await pause(1_000);
      await machine.serve();
    },
  },
  clock: {
    what: 'the clock of one roux server an hour or a year off for a while',
    async happen({ machines, turn }) {
      const machine = machines[HOSTS[turn % HOSTS.length] ?? 1];
      await machine.stopServer();
      await machine.serve(CLOCKS[turn % CLOCKS.length]);
      await pause(5_000);
      await machine.stopServer();
      await machine.serve();
    },
  },
};

function leaderOf(database: Database): Promise<HostNumber> {
  return waitFor(() => slowly(() => database.leader()), { what: 'a leader', timeoutMs: 60_000 });
}

/** Looks a few times a second only. */
async function slowly<T>(look: () => Promise<T>): Promise<T> {
  await pause(250);
  return look();
}
