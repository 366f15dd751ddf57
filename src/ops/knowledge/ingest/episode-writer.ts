import { isoNow } from '../../../ports.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { Vault } from '../../../vault/vault.ts';
import { singleRelations } from '../reconcile/single-relations.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import { isSettled } from '../stored/shapes.ts';
import type { StoredEpisode } from '../stored/shapes.ts';
import { KnowledgeDraft } from './draft.ts';
import { isClaimed } from './due.ts';
import type { ExtractedItem } from './episode-extraction.ts';
import type { Counters } from './metrics.ts';
import { advanceItem, applyOutcome, failItem, isVaultFailure, toFailure } from './outcome.ts';
import type { Failure } from './outcome.ts';

/** What the writer works with. */
export interface WriterContext {
  readonly vault: Vault;
  readonly index: KnowledgeIndex;
  readonly counters: Counters;
  /** The name under which this process claims items. */
  readonly self: string;
  /** Cancels writes that have not begun. */
  readonly signal: AbortSignal;
}

/** Writes the state of items. Each item is checked and changed under the write lock, so that no two processes do the same work. */
export class EpisodeWriter {
  readonly #context: WriterContext;

  constructor(context: WriterContext) {
    this.#context = context;
  }

  /** Adds items to the graph in one write, or one by one if that write fails because of an item. Returns the paths of completed items. */
  async upsert(items: readonly ExtractedItem[]): Promise<readonly string[]> {
    try {
      return await this.#upsertAll(items);
    } catch (error) {
      if (isVaultFailure(error)) throw error;
      const [only, ...others] = items;
      if (only === undefined) return [];
      if (others.length === 0) {
        const failure = { ...toFailure(error, 'upsert'), isRetryable: true };
        await this.write(only.episode.createdBy, [only.episode], (now, at) => [this.fail(now, failure, at)]);
        return [];
      }
      const done: string[] = [];
      for (const each of items) done.push(...(await this.upsert([each])));
      return done;
    }
  }

  async #upsertAll(items: readonly ExtractedItem[]): Promise<readonly string[]> {
    const asRead = new Map(items.map((each) => [each.episode.path as string, each]));
    const { result: done } = await this.#context.vault.writes.write(this.#meta(items[0]!.episode.createdBy), (graph) => {
      this.#context.index.refresh();
      const at = isoNow(this.#context.vault.ports.clock);
      const agent = items[0]!.episode.createdBy;
      const isSingle = singleRelations(this.#context.vault);
      const draft = new KnowledgeDraft({ vault: this.#context.vault, index: this.#context.index, graph, at, agent, isSingle });
      const files: FileChange[] = [];
      const done: string[] = [];
      for (const [path, { episode, outcome }] of asRead) {
        const now = this.#getOpenItem(path);
        // The note may have changed since it was read.
        if (now === null || now.digest !== episode.digest) continue;
        const failure = applyOutcome(draft, now, outcome);
        if (failure !== null) {
          files.push(this.fail(now, failure, at));
        } else {
          files.push(advanceItem(now, 'completed', at));
          done.push(path);
        }
      }
      return { files: [...draft.files(), ...files], result: done };
    });
    this.#context.counters.add('ingestion_processed_total', done.length);
    return done;
  }

  /** Plans the failure of a stage. */
  fail(episode: StoredEpisode, failure: Failure, at: string): FileChange {
    const { attempts } = this.#context.vault.settings.config.knowledge;
    const { file, isParked } = failItem(episode, failure, { at, attempts, random: () => this.#context.vault.ports.random() });
    this.#context.counters.fail(failure);
    if (isParked) this.#context.counters.add('parked_items_total');
    return file;
  }

  /** Returns the present state of an item, read under the lock; null if it is gone, settled or claimed by another process. */
  #getOpenItem(path: string): StoredEpisode | null {
    const stored = this.#context.index.at(path);
    if (stored?.kind !== 'episode' || stored.ingest === null || isSettled(stored.ingest)) return null;
    const { vault, self } = this.#context;
    const hasEnded = (name: string): boolean => vault.ports.process?.liveness(name) === 'dead';
    return isClaimed(stored.ingest, { self, nowMs: vault.ports.clock.now(), hasEnded }) ? null : stored;
  }

  /** Changes those of the items that are still open; returns the paths of changed notes. */
  async write(
    agent: string,
    episodes: readonly StoredEpisode[],
    change: (now: StoredEpisode, at: string) => readonly FileChange[],
  ): Promise<readonly string[]> {
    const { result } = await this.#context.vault.writes.write(this.#meta(agent), () => {
      this.#context.index.refresh();
      const at = isoNow(this.#context.vault.ports.clock);
      const written: string[] = [];
      const files = episodes.flatMap(({ path }) => {
        const now = this.#getOpenItem(path);
        const files = now === null ? [] : change(now, at);
        if (files.length > 0) written.push(path);
        return files;
      });
      return { files, result: written };
    });
    return result;
  }

  #meta(agent: string): { readonly operation: string; readonly agent: string; readonly signal: AbortSignal } {
    return { operation: 'kg_ingest', agent, signal: this.#context.signal };
  }
}
