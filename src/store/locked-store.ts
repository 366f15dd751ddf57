import type { FileState } from './folder/file-system.ts';
import { pathsOfEvent } from './records/feed.ts';
import type { HistoryEvent } from './records/history-event.ts';
import type { PollResult } from './records/segments.ts';
import type { Done, Now, Prepared, TransactionMeta } from './store.ts';
import { readFrom } from './store-parts.ts';
import type { StoreParts } from './store-parts.ts';
import { recoverLeftovers } from './transaction/recover.ts';
import { carryOut, plan, record, recordAs } from './transaction/transact.ts';
import type { Entered, HeldStore, CarryOutOptions, Origination, Planned } from './transaction/transact.ts';
import type { UnderLock } from './transaction/under-lock.ts';

/** The store for a task that holds the lock. */
export class LockedStore implements HeldStore {
  readonly signal: AbortSignal;
  readonly #parts: StoreParts;
  readonly #under: UnderLock;
  /** Is passed on by itself, so it must not depend on `this`. */
  readonly read: HeldStore['read'] = (path, how) => readFrom(this.#parts.options, this.#under.files, path, how);
  /** A transaction of this task failed and must be recovered before the next one. */
  #hasFailed = false;

  constructor(parts: StoreParts, under: UnderLock, signal: AbortSignal) {
    this.#parts = parts;
    this.#under = under;
    this.signal = signal;
  }

  async enter(patienceMs: number): Promise<Entered> {
    const under = this.#under;
    const { options, reports, records, home } = this.#parts;
    const hasMoved = await options.git.waitUntilDone(patienceMs, this.signal);
    const history = await home.make(under.files, options.isSynced);
    const recovery = await recoverLeftovers(under);
    reports.reportRecovery(recovery);
    const { lines, isComplete } = await this.#pollEvents(history);
    const news = [...new Set([...recovery.paths, ...lines.flatMap(pathsOfEvent)])];
    return {
      seq: records.events.lastSeq,
      externalChanges: isComplete && !hasMoved ? news : null,
      recorded: isComplete ? lines.flatMap(({ batch }) => batch ?? []) : null,
      read: this.read,
      record: (events, agent, hashOfEvent) => record(under, { events, agent, hashOfEvent }),
    };
  }

  async plan(
    meta: TransactionMeta & Origination,
    now: Now,
    prepare: (now: Now) => Promise<Prepared>,
  ): Promise<Planned | Extract<Done, { kind: 'repeated' }>> {
    const { keys, options } = this.#parts;
    await this.#recoverFailed();
    return await plan(this.#under, { meta, now, prepare, keys, isReadOnly: options.isReadOnly });
  }

  async carryOut(planned: Planned, how?: CarryOutOptions): Promise<Extract<Done, { kind: 'done' }>> {
    const { keys, secondLooks, external } = this.#parts;
    let done: Awaited<ReturnType<typeof carryOut>>;
    try {
      done = await carryOut(this.#under, planned, { ...how, keys });
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
    if (done.displaced.length > 0) secondLooks.after(done.displaced);
    if (done.batch !== null) external.addOwn(done.batch);
    planned.prepared.whenDone?.(done, this.#under.files);
    return done;
  }

  async recordAs(events: readonly Omit<HistoryEvent, 'seq'>[]): Promise<readonly HistoryEvent[]> {
    await this.#recoverFailed();
    return await recordAs(this.#under, events);
  }

  async #recoverFailed(): Promise<void> {
    if (!this.#hasFailed) return;
    this.#parts.reports.reportRecovery(await recoverLeftovers(this.#under));
    this.#under.records.events.poll();
    this.#hasFailed = false;
  }

  /** Reads new lines of the history, after repairing a half-written last line. */
  async #pollEvents(history: FileState | null): Promise<Pick<PollResult<HistoryEvent>, 'lines' | 'isComplete'>> {
    const { events } = this.#under.records;
    const found = events.poll(history);
    const repaired = found.isTorn ? await events.repair() : null;
    if (repaired === null) return found;
    this.#parts.reports.report([repaired]);
    const more = events.poll();
    return { lines: [...found.lines, ...more.lines], isComplete: found.isComplete && more.isComplete };
  }
}
