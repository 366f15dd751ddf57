import { isoNow } from '../../../ports.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { Vault } from '../../../vault/vault.ts';
import { singleRelations } from '../single-relations.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import { isSettled } from '../stored/shapes.ts';
import type { StoredEpisode } from '../stored/shapes.ts';
import { KnowledgeDraft } from './draft.ts';
import { isClaimed } from './due.ts';
import type { Ready } from './episode-extraction.ts';
import type { Counters } from './metrics.ts';
import { advanced, bringIn, failed, isOfTheVault, toFailure } from './outcome.ts';
import type { Failure } from './outcome.ts';

/** What is needed to write what becomes of items. */
export interface Around {
  readonly vault: Vault;
  readonly index: KnowledgeIndex;
  readonly counters: Counters;
  /** The name under which this process claims items. */
  readonly self: string;
  /** Ends what was not begun yet. */
  readonly signal: AbortSignal;
}

/** Writes what becomes of items: each look at an item and what follows from it is under the lock, so that no two processes do the same. */
export class EpisodeWriter {
  readonly #around: Around;

  constructor(around: Around) {
    this.#around = around;
  }

  /** Brings items into the graph, all in one write; where that fails because of one of them, each by itself. The paths of those that are completed. */
  async upsert(ready: readonly Ready[]): Promise<readonly string[]> {
    try {
      return await this.#upsertAll(ready);
    } catch (error) {
      if (isOfTheVault(error)) throw error;
      const [only, ...others] = ready;
      if (only === undefined) return [];
      if (others.length === 0) {
        const failure = { ...toFailure(error, 'upsert'), isRetryable: true };
        await this.write(only.episode.createdBy, [only.episode], (now, at) => [this.fail(now, failure, at)]);
        return [];
      }
      const done: string[] = [];
      for (const each of ready) done.push(...(await this.upsert([each])));
      return done;
    }
  }

  async #upsertAll(ready: readonly Ready[]): Promise<readonly string[]> {
    const asRead = new Map(ready.map((each) => [each.episode.path as string, each]));
    const done: string[] = [];
    await this.#around.vault.write(this.#meta(ready[0]!.episode.createdBy), (graph) => {
      this.#around.index.refresh();
      done.length = 0;
      const at = isoNow(this.#around.vault.ports.clock);
      const agent = ready[0]!.episode.createdBy;
      const isSingle = singleRelations(this.#around.vault);
      const draft = new KnowledgeDraft({ vault: this.#around.vault, index: this.#around.index, graph, at, agent, isSingle });
      const files: FileChange[] = [];
      for (const [path, { episode, outcome }] of asRead) {
        const now = this.#stillOpen(path);
        // What is there now may be another text than the one that was read.
        if (now === null || now.digest !== episode.digest) continue;
        const failure = bringIn(draft, now, outcome);
        if (failure !== null) {
          files.push(this.fail(now, failure, at));
        } else {
          files.push(advanced(now, 'completed', at));
          done.push(path);
        }
      }
      return { files: [...draft.files(), ...files] };
    });
    this.#around.counters.add('ingestion_processed_total', done.length);
    return done;
  }

  /** What is written of an item that a stage failed for. */
  fail(episode: StoredEpisode, failure: Failure, at: string): FileChange {
    const { attempts } = this.#around.vault.config.knowledge;
    const { file, isParked } = failed(episode, failure, { at, attempts, random: () => this.#around.vault.ports.random() });
    this.#around.counters.fail(failure);
    if (isParked) this.#around.counters.add('parked_items_total');
    return file;
  }

  /** The item as it is now, under the lock; null where another process has it or is done with it, or it is gone. */
  #stillOpen(path: string): StoredEpisode | null {
    const stored = this.#around.index.at(path);
    if (stored?.kind !== 'episode' || stored.ingest === null || isSettled(stored.ingest)) return null;
    const { vault, self } = this.#around;
    return isClaimed(stored.ingest, { self, nowMs: vault.ports.clock.now() }) ? null : stored;
  }

  /** Writes what is said of items that are open still; the paths of those that it says something of. */
  async write(
    agent: string,
    episodes: readonly StoredEpisode[],
    change: (now: StoredEpisode, at: string) => readonly FileChange[],
  ): Promise<readonly string[]> {
    const written: string[] = [];
    await this.#around.vault.write(this.#meta(agent), () => {
      this.#around.index.refresh();
      written.length = 0;
      const at = isoNow(this.#around.vault.ports.clock);
      const files = episodes.flatMap(({ path }) => {
        const now = this.#stillOpen(path);
        const files = now === null ? [] : change(now, at);
        if (files.length > 0) written.push(path);
        return files;
      });
      return { files };
    });
    return written;
  }

  #meta(agent: string): { readonly operation: string; readonly agent: string; readonly signal: AbortSignal } {
    return { operation: 'kg_ingest', agent, signal: this.#around.signal };
  }
}
