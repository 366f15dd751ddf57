import { errorMessage } from '../../../errors.ts';
import type { Log } from '../../../ports.ts';
import type { Follower, OnNotice } from '../shared-vault.ts';
import { backOff, pause } from './session/backoff.ts';
import type { Session } from './session/connect.ts';
import type { Connection } from './session/connection.ts';
import { channelOf } from './vault-row.ts';
import type { VaultRow } from './vault-row.ts';

/** How often a connection on which nothing is said is tried: what lies between may have forgotten it. */
const HEARTBEAT_MS = 15_000;
/** Where this machine stands is told once in so many milliseconds: a name for each of a hundred commits a second would be as much work as they are. */
const TELL_MS = 1_000;

/** What is heard of the other machines, and what they see of this one. */
export interface Following {
  follow(onNews: OnNotice, signal: AbortSignal): void;
  standAt(seq: number): void;
}

interface FollowingOptions {
  readonly vault: VaultRow;
  /** The name that others see of the connection. */
  readonly open: (name: string, signal: AbortSignal) => Promise<Session>;
  readonly machine: string;
  readonly random: () => number;
  readonly log: Log;
}

/**
 * Who follows a vault has a connection that listens, whose name says which machine it is and where it stands: nothing to write, so that
 * readers can be seen too, and nothing to clear away when a machine dies.
 */
export function openFollowing({ vault, open, machine, random, log }: FollowingOptions): Following {
  let seq: number | null = null;
  const tellers = new Set<() => void>();

  /** Listens until the connection is lost. `told`: the number that its name says. */
  async function listen(
    { connection, isStandby }: Session,
    { told: first, onNews, signal }: { readonly told: number | null; readonly onNews: OnNotice; readonly signal: AbortSignal },
  ): Promise<void> {
    let told = first;
    const lost = new AbortController();
    connection.onEnd(() => lost.abort());
    connection.onNotification((payload) => onNews(/^\d+$/.test(payload) ? Number(payload) : null));
    const stop = AbortSignal.any([signal, lost.signal]);
    // A server that follows another one passes no notices on.
    if (!isStandby) await connection.run(`LISTEN ${channelOf(vault)}`);
    onNews(null);
    let telling: NodeJS.Timeout | undefined;
    const tellNow = (): void => {
      telling = undefined;
      if (told === seq || connection.isLost) return;
      told = seq;
      telling = setTimeout(tellNow, TELL_MS);
      void name(connection).catch(() => undefined);
    };
    const tell = (): void => {
      if (telling === undefined) tellNow();
    };
    tellers.add(tell);
    try {
      while (!stop.aborted) {
        tell();
        await pause(HEARTBEAT_MS, stop);
        if (!stop.aborted) await name(connection);
        if (isStandby) onNews(null);
      }
    } finally {
      tellers.delete(tell);
      clearTimeout(telling);
    }
  }

  const name = (connection: Connection): Promise<unknown> =>
    connection.query(
      { name: 'name', text: "SELECT set_config('application_name', $1, false)", values: [nameOf(vault, seq, machine)] },
      { withinMs: HEARTBEAT_MS },
    );

  async function followOn(onNews: OnNotice, signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      let session: Session | null = null;
      try {
        const told = seq;
        session = await open(nameOf(vault, told, machine), signal);
        const since = performance.now();
        await listen(session, { told, onNews, signal }).finally(() => {
          if (performance.now() - since > HEARTBEAT_MS) failures = 0;
        });
      } catch (error) {
        if (failures === 0 && !signal.aborted) log.warn(`Not told of what other machines write for the moment: ${errorMessage(error)}`);
      } finally {
        session?.connection.destroy();
      }
      await backOff(failures, random, signal);
    }
  }

  return {
    follow: (onNews, signal) => void followOn(onNews, signal),
    standAt(now) {
      seq = now;
      for (const tell of tellers) tell();
    },
  };
}

/** PostgreSQL keeps so many bytes of a connection's name, in ASCII. */
const NAME_BYTES = 63;

/** `roux 12 @345 laptop`: the vault's row, the last commit that the machine has, and its name, as much of it as there is room for. */
function nameOf(vault: VaultRow, seq: number | null, machine: string): string {
  const start = `roux ${vault.id} @${seq ?? '-'} `;
  // Whole characters only: each is what it is encoded as.
  let name = '';
  for (const character of machine) {
    const encoded = /^[\w.:+-]$/.test(character) ? character : encodeURIComponent(character.replace(/\p{Cs}/u, '?'));
    if (start.length + name.length + encoded.length > NAME_BYTES) break;
    name += encoded;
  }
  return start + name;
}

/** The machines whose connections listen for a vault now. */
export async function readFollowers(connection: Connection, vault: VaultRow): Promise<readonly Follower[]> {
  const rows = await connection.query<{ name: string }>({
    text: `SELECT application_name AS name FROM pg_stat_activity
      WHERE datname = current_database() AND starts_with(application_name, $1) ORDER BY application_name`,
    values: [`roux ${vault.id} @`],
  });
  return rows.flatMap(({ name }) => {
    const [, seq, machine = ''] = /^roux \d+ @(-|\d+) (.*)$/.exec(name) ?? [];
    return seq === undefined ? [] : [{ machine: decodeName(machine), seq: seq === '-' ? null : Number(seq) }];
  });
}

function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
