import { errorMessage, RouxError } from '../../errors.ts';
import type { GraphChange } from '../../graph/view.ts';
import { isoNow } from '../../ports.ts';
import { READ_PATIENCE_MS } from '../../store/store.ts';
import type { Now } from '../../store/store.ts';
import { createVaultVersion } from '../history/version.ts';
import type { BaseVersion, VaultVersion } from '../history/version.ts';
import { VAULT_IS_SHRUNK } from '../warnings.ts';
import { readHistories, readHistory } from './history.ts';
import type { HistoriesQuery, HistoryEvent, HistoryPage, HistoryQuery } from './plan.ts';
import type { WriterOptions } from './writer.ts';

/** Time without further edits after which an edit from outside is recorded. */
const EXTERNAL_PAUSE_MS = 3_000;
/** The same for a rename; shorter, since a process that starts meanwhile and writes to the note cannot know its previous name. */
const RENAME_PAUSE_MS = 250;
/** How changes are read that roux did not make, or that only a line of the history claims for it: what is gone may be a loss. */
const OF_OTHERS = { isWhole: true } as const;

/** Records edits from outside in the history: before each write, and soon after they were noticed. Reads the history with those still pending. */
export class EditRecorder {
  readonly #options: WriterOptions;
  readonly #version: VaultVersion;
  readonly #isRecording: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WriterOptions) {
    const { store, graph } = options;
    this.#options = options;
    this.#isRecording = options.isRecording && !options.config.readOnly;
    this.#version = createVaultVersion(graph, store.records.events, store.records.lastSeq);
  }

  /** The version of the vault that the graph is at. */
  get version(): string {
    return this.#version.text();
  }

  async checkVersion(based: BaseVersion | undefined): Promise<void> {
    if (based !== undefined) await this.#version.check(based, this.#options.external.paths());
  }

  /** Whether edits were noticed that the next write must also notice to record them. */
  get hasUnrecorded(): boolean {
    return !this.#isRecording && this.#options.external.isPending;
  }

  follow(changes: readonly GraphChange[]): void {
    const { external } = this.#options;
    external.follow(changes);
    clearTimeout(this.#timer);
    if (!external.isPending || !this.#isRecording) return;
    this.#timer = setTimeout(() => void this.record(), external.isRenamed ? RENAME_PAUSE_MS : EXTERNAL_PAUSE_MS);
    this.#timer.unref();
  }

  /** Brings the graph up to date and records edits from outside: what every plan starts from. */
  async bringUpToDate(now: Now, based?: BaseVersion): Promise<void> {
    const { external, index, catchUp, sync, store } = this.#options;
    if (now.externalChanges !== null && now.externalChanges.length > 0) index(now.externalChanges, OF_OTHERS);
    await catchUp(now.externalChanges === null ? 'strict' : 'changed');
    if (sync.isShrunk) throw new RouxError('VAULT_SHRUNK', VAULT_IS_SHRUNK);
    await this.checkVersion(based);
    if (!external.isPending) return;
    // An observed change may have been half of a write that was rolled back since.
    index(external.paths(), OF_OTHERS);
    await external.record(now, (bytes) => store.records.events.tail(bytes));
  }

  /** Records pending edits now. */
  async record(): Promise<void> {
    const { external, rootCheck, store, ports } = this.#options;
    clearTimeout(this.#timer);
    if (!external.isPending || !this.#isRecording || rootCheck.look() === 'gone') return;
    try {
      await store.transact({ operation: 'external', agent: 'external', patienceMs: READ_PATIENCE_MS }, async (now) => {
        await this.bringUpToDate(now);
        return { changes: [] };
      });
    } catch (error) {
      ports.log.warn(`Edits from outside could not be recorded: ${errorMessage(error)}`);
    }
  }

  /** Returns the events that the next write will record. */
  unrecorded(): Promise<readonly HistoryEvent[]> {
    const { external, store, ports } = this.#options;
    const { events } = store.records;
    const now = { read: ((path, how) => store.read(path, how)) satisfies Now['read'], tail: (bytes: number) => events.tail(bytes) };
    return external.preview(now, { firstSeq: events.lastSeq + 1, timestamp: isoNow(ports.clock) });
  }

  async history(query: HistoryQuery): Promise<HistoryPage> {
    const { store, graph } = this.#options;
    if (query.withoutRecording !== true) {
      await this.#recoverUnfinished();
      await this.record();
    }
    return await readHistory(store.records.events, graph, { ...query, unrecorded: await this.unrecorded() });
  }

  async histories(query: HistoriesQuery): Promise<ReadonlyMap<string, readonly HistoryEvent[]>> {
    const { store, graph } = this.#options;
    if (query.nodes.length === 0) return new Map();
    await this.#recoverUnfinished();
    await this.record();
    return await readHistories(store.records.events, graph, { ...query, unrecorded: await this.unrecorded() });
  }

  /** Recovers an unfinished write of any process, so that the history shows its outcome. */
  async #recoverUnfinished(): Promise<void> {
    const { rootCheck, store, index } = this.#options;
    if (rootCheck.look() === 'gone') return;
    try {
      const paths = await store.recover();
      if (paths.length > 0) index(paths);
    } catch (error) {
      // A process is writing: its write is not unfinished.
      if (error instanceof RouxError && error.code === 'LOCK_TIMEOUT') return;
      const message = `An unfinished write could not be ended yet, so the history cannot say what became of it: ${errorMessage(error)} Ask again when the disk works.`;
      throw new RouxError('IO_ERROR', message, {}, { cause: error, retryable: true });
    }
  }
}
