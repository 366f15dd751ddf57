import type { Ports } from '../../../ports.ts';
import type { Vault } from '../../../vault/vault.ts';

/** Whether the session of a claim goes on; `unknown`: it cannot be seen from here, or its server crashed. */
export type SessionState = 'connected' | 'ended' | 'unknown';

/** How long the state of a running process is remembered: asking costs a few system calls for each session. */
const REMEMBER_MS = 250;
const MAX_REMEMBERED = 1_000;

/**
 * The states of sessions, by the names of their connections. A session that has a process of its own ends with it. One of several of a
 * server may go on when that crashes, since its client can come back.
 */
export class SessionStates {
  readonly #ports: Pick<Ports, 'process' | 'clock'>;
  readonly #left = new Set<string>();
  readonly #known = new Map<string, { readonly state: SessionState; readonly at: number }>();

  constructor(ports: Pick<Ports, 'process' | 'clock'>) {
    this.#ports = ports;
  }

  /** Records that a connection to this process has ended. */
  leave(session: string): void {
    if (this.#left.size >= MAX_REMEMBERED) this.#left.clear();
    this.#left.add(session);
  }

  stateOf(session: string): SessionState {
    if (this.#left.has(session)) return 'ended';
    const now = this.#ports.clock.now();
    const known = this.#known.get(session);
    // A process that has ended stays so, whoever gets its number.
    if (known !== undefined && (known.state === 'ended' || Math.abs(now - known.at) < REMEMBER_MS)) return known.state;
    const state = this.#look(session);
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(session, { state, at: now });
    return state;
  }

  #look(session: string): SessionState {
    const liveness = this.#ports.process?.liveness(session) ?? 'unknown';
    if (liveness === 'alive') return 'connected';
    return liveness === 'dead' && !isPartOfServer(session) ? 'ended' : 'unknown';
  }
}

/** Whether a name is that of a process with a part of its own behind it. */
function isPartOfServer(session: string): boolean {
  return session.split('.').length > 3;
}

const states = new WeakMap<Vault['ports'], SessionStates>();

/** Returns the states of sessions as this process knows them, for all views of a vault alike. */
export function sessionStatesOf({ ports }: Pick<Vault, 'ports'>): SessionStates {
  const known = states.get(ports) ?? new SessionStates(ports);
  states.set(ports, known);
  return known;
}
