import type { Claim } from '../../../graph/tasks/task-note.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import { errorMessage, RouxError } from '../../../errors.ts';
import { isoNow } from '../../../ports.ts';
import { connectedAgentsOf } from '../../../vault/claims/connected-agents.ts';
import { sharedClaimsOf } from '../../../vault/claims/shared-claims.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { Operation, OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import type { DraftTask } from '../draft/draft-task.ts';
import { writeDraft } from '../draft/commit-draft.ts';
import type { Draft } from '../draft/draft.ts';
import { findTask } from '../view/find-task.ts';
import { sessionStatesOf } from './session-states.ts';

/** How often claims of ended sessions are looked for, and the pause after a release that the folder does not permit. */
const SWEEP_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const MAX_SUMMARY_CHARACTERS = 100;

/** Operations by which a caller gives its tasks up itself. */
const RELEASING: ReadonlySet<string> = new Set(['graph_update', 'graph_handoff', 'claim_task']);

/** The caller of a session: with agents named by call, one of several behind a connection. */
type Holder = Pick<OperationContext, 'agent' | 'connection'>;

/**
 * Keeps the claims of sessions in step with the sessions: tells a session what was taken from it, renews what expires, and releases what
 * ended sessions held, of this process and of others. It begins with the first call of a task tool, or when a session is found ended
 * (`ClaimWatch`).
 */
export class ClaimKeeper {
  readonly #vault: Vault;
  /** The tasks that callers held after their last calls, by the callers. */
  readonly #held = new Map<string, { readonly holder: Holder; tasks: ReadonlyMap<string, Task> }>();
  #timer: NodeJS.Timeout | null = null;
  #pausedUntil = 0;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Follows a call that was answered. Returns what its caller has to know: tasks that it held and others took over (T-01), claims that cannot be read (T-05). */
  async follow(holder: Holder, { toolset, name }: Pick<Operation, 'toolset' | 'name'>): Promise<readonly string[]> {
    const key = `${holder.connection ?? ''}\n${holder.agent}`;
    const known = this.#held.get(key) ?? { holder, tasks: new Map<string, Task>() };
    if (!this.#held.has(key) && toolset !== 'tasks') return [];
    this.#held.set(key, known);
    this.start();
    const problem = sharedClaimsOf(this.#vault)?.problem ?? null;
    // Nobody lost what cannot be read.
    if (problem !== null) return toolset === 'tasks' ? [problem] : [];
    if (known.tasks.size > 0) await this.#vault.refresh('changed');
    const before = known.tasks;
    known.tasks = this.#find((claim) => isOf(claim, holder));
    // Whoever is not connected shows by calls alone that it is still at work.
    if (holder.connection === undefined) await this.#renew((claim) => isOf(claim, holder));
    return [...before.values()]
      .filter(({ note }) => !known.tasks.has(note.id))
      .flatMap((task) => this.#explainLoss(task, holder, name) ?? []);
  }

  /** Releases what a connection held (T-02). */
  async leave(connection: string): Promise<void> {
    if (![...this.#held.values()].some(({ holder }) => holder.connection === connection)) return;
    for (const [key, { holder }] of this.#held) if (holder.connection === connection) this.#held.delete(key);
    sessionStatesOf(this.#vault).leave(connection);
    await this.#release();
  }

  /** Releases what ended sessions hold from now on, also without a call of a task tool. */
  start(): void {
    this.#timer ??= setInterval(() => {
      this.#sweeping = this.#sweeping.then(() => this.#sweep());
    }, SWEEP_MS).unref();
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    if (performance.now() < this.#pausedUntil) return;
    try {
      const states = sessionStatesOf(this.#vault);
      connectedAgentsOf(this.#vault).remove((connection) => states.stateOf(connection) === 'ended');
      await this.#release();
      // Where others cannot see that a session goes on, its claims must not run out.
      const connected = [...this.#held.values()].filter(({ holder }) => holder.connection !== undefined);
      if (this.#vault.settings.isShared || !this.#canBeSeen())
        await this.#renew((claim) => connected.some(({ holder }) => isOf(claim, holder)));
    } catch (error) {
      const isPassing = error instanceof RouxError && error.retryable;
      this.#pausedUntil = isPassing ? 0 : performance.now() + MAX_PAUSE_MS;
      this.#vault.ports.log.info(`Claims of ended sessions are not released yet: ${errorMessage(error)}`);
    }
  }

  /** Whether processes of this machine can tell that this one runs. */
  #canBeSeen(): boolean {
    const { process } = this.#vault.ports;
    return process?.liveness(process.name) === 'alive';
  }

  /** Releases the claims of sessions that have ended; writes nothing if there are none. */
  async #release(): Promise<void> {
    const states = sessionStatesOf(this.#vault);
    const hasEnded = ({ session }: Claim): boolean => session !== null && states.stateOf(session) === 'ended';
    await this.#change(hasEnded, (draft, task, { by }) => draft.setClaim(task, null, `the session of ${by} has ended`));
  }

  /** Renews the claims whose time is half over. */
  async #renew(isMeant: (claim: Claim) => boolean): Promise<void> {
    const { ports, settings } = this.#vault;
    const ttlMs = settings.config.tasks.claimTtlMinutes * 60_000;
    const isDue = (claim: Claim): boolean => {
      const ageMs = ports.clock.now() - claim.atMs;
      return ageMs >= ttlMs / 2 && ageMs < ttlMs && isMeant(claim);
    };
    await this.#change(isDue, (draft, task, claim) => {
      draft.setClaim(task, { ...claim, atMs: ports.clock.now() });
      // Nothing that a reader of the task relies on has changed.
      task.isUnstamped = true;
    });
  }

  /** Changes the claims that are meant, decided once more under the write lock. */
  async #change(isMeant: (claim: Claim) => boolean, change: (draft: Draft, task: DraftTask, claim: Claim) => void): Promise<void> {
    const vault = this.#vault;
    if (vault.settings.config.readOnly || this.#find(isMeant).size === 0) return;
    const { filenames } = vault.settings.config;
    const areClaimsShared = sharedClaimsOf(vault) !== null;
    const author = () => ({ agent: 'roux', connection: null, at: isoNow(vault.ports.clock), filenames, areClaimsShared });
    await writeDraft(vault, { meta: { operation: 'keep_claims', agent: 'roux' }, author }, (draft) => {
      for (const task of this.#find(isMeant).values()) if (task.note.claim !== null) change(draft, draft.edit(task), task.note.claim);
    });
  }

  /** Returns the unresolved tasks with such a claim, by id. */
  #find(isMeant: (claim: Claim) => boolean): ReadonlyMap<string, Task> {
    const found = new Map<string, Task>();
    for (const { claimed } of tasksOf(this.#vault).projects())
      for (const task of claimed) if (task.note.claim !== null && isMeant(task.note.claim)) found.set(task.note.id, task);
    return found;
  }

  /** Says that a task which the caller held has another holder or none; null if it gave the task up itself, or the task is done or gone. */
  #explainLoss({ note: { id, summary } }: Task, holder: Holder, operation: string): string | null {
    const claim = findTask(this.#vault, id)?.note.claim;
    if (claim === undefined || (claim !== null && isOf(claim, holder))) return null;
    const name = `"${shorten(summary, MAX_SUMMARY_CHARACTERS)}" (${id}) is no longer yours`;
    if (claim === null) return RELEASING.has(operation) ? null : `${name}: your claim was released.`;
    const by = claim.by === holder.agent ? `another session of ${claim.by}` : claim.by;
    return `${name}: ${by} took it over at ${new Date(claim.atMs).toISOString()}.`;
  }
}

function isOf(claim: Claim, { agent, connection }: Holder): boolean {
  return claim.by === agent && claim.session === (connection ?? null);
}

const createKeeper = (vault: Vault): ClaimKeeper => new ClaimKeeper(vault);

/** Returns the keeper of a whole vault. */
export function claimKeeperOf(vault: Vault): ClaimKeeper {
  return vault.derived(createKeeper);
}
