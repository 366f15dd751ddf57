import { errorMessage } from '../../../errors.ts';
import type { Log } from '../../../ports.ts';
import type { Follower, Followers, OnNotice } from '../shared-vault.ts';
import { backOff, pause } from './session/backoff.ts';
import type { Session } from './session/connect.ts';
import type { Connection } from './session/connection.ts';
import { channelOf } from './vault-row.ts';
import type { VaultRow } from './vault-row.ts';

/** How often an idle connection is tried: a router in between may have dropped it. */
const HEARTBEAT_MS = 15_000;
/** At a hundred commits a second, a report for each would cost as much as the commits. */
const MIN_REPORT_INTERVAL_MS = 1_000;

interface FollowingOptions {
  readonly vault: VaultRow;
  /** Opens a connection under a name that other machines see. */
  readonly open: (name: string, signal: AbortSignal) => Promise<Session>;
  readonly machine: string;
  readonly random: () => number;
  readonly log: Log;
}

/**
 * Implements `Followers`. A follower has a connection that listens; its name is that of the machine with its checkpoint. So nothing is written,
 * readers are seen too, and nothing is left behind when a machine crashes.
 */
export function createFollowing({ vault, open, machine, random, log }: FollowingOptions): Pick<Followers, 'follow' | 'reportCheckpoint'> {
  let seq: number | null = null;
  const reporters = new Set<() => void>();

  const setName = (connection: Connection): Promise<unknown> =>
    connection.query(
      { name: 'name', text: "SELECT set_config('application_name', $1, false)", values: [formatName(vault, seq, machine)] },
      { timeoutMs: HEARTBEAT_MS },
    );

  /** Listens until the connection is lost. `initialSeq`: the checkpoint in its name. */
  async function listen(
    { connection, isStandby }: Session,
    { initialSeq, onNotice, signal }: { readonly initialSeq: number | null; readonly onNotice: OnNotice; readonly signal: AbortSignal },
  ): Promise<void> {
    let reported = initialSeq;
    const lost = new AbortController();
    connection.onEnd(() => lost.abort());
    connection.onNotification((payload) => onNotice(/^\d+$/.test(payload) ? Number(payload) : null));
    const stop = AbortSignal.any([signal, lost.signal]);
    // A standby does not pass on notifications.
    if (!isStandby) await connection.run(`LISTEN ${channelOf(vault)}`);
    onNotice(null);
    let timer: NodeJS.Timeout | undefined;
    const reportNow = (): void => {
      timer = undefined;
      if (reported === seq || connection.isLost) return;
      reported = seq;
      timer = setTimeout(reportNow, MIN_REPORT_INTERVAL_MS);
      void setName(connection).catch(() => undefined);
    };
    const report = (): void => {
      if (timer === undefined) reportNow();
    };
    reporters.add(report);
    try {
      while (!stop.aborted) {
        report();
        await pause(HEARTBEAT_MS, stop);
        if (!stop.aborted) await setName(connection);
        if (isStandby) onNotice(null);
      }
    } finally {
      reporters.delete(report);
      clearTimeout(timer);
    }
  }

  async function followUntilAborted(onNotice: OnNotice, signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      let session: Session | null = null;
      try {
        const initialSeq = seq;
        session = await open(formatName(vault, initialSeq, machine), signal);
        const since = performance.now();
        await listen(session, { initialSeq, onNotice, signal }).finally(() => {
          if (performance.now() - since > HEARTBEAT_MS) failures = 0;
        });
      } catch (error) {
        if (failures === 0 && !signal.aborted) log.warn(`No notices of what other machines write for now: ${errorMessage(error)}`);
      } finally {
        session?.connection.destroy();
      }
      await backOff(failures, random, signal);
    }
  }

  return {
    follow: (onNotice, signal) => void followUntilAborted(onNotice, signal),
    reportCheckpoint(next) {
      seq = next;
      for (const report of reporters) report();
    },
  };
}

/** PostgreSQL truncates the name of a connection to this many bytes of ASCII. */
const MAX_NAME_BYTES = 63;

/** Formats `roux 12 @345 laptop`: the id of the vault's row, the checkpoint, and as much of the machine's name as fits. */
function formatName(vault: VaultRow, seq: number | null, machine: string): string {
  const start = `roux ${vault.id} @${seq ?? '-'} `;
  let name = '';
  // Encodes character by character, so that none is cut in half.
  for (const character of machine) {
    const encoded = /^[\w.:+-]$/.test(character) ? character : encodeURIComponent(character.replace(/\p{Cs}/u, '?'));
    if (start.length + name.length + encoded.length > MAX_NAME_BYTES) break;
    name += encoded;
  }
  return start + name;
}

/** Lists the machines whose connections listen for a vault now. */
export async function listFollowers(connection: Connection, vault: VaultRow): Promise<readonly Follower[]> {
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
