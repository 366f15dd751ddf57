import { errorMessage } from '../../../errors.ts';
import type { Extractor } from '../../../ports.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { Vault } from '../../../vault/vault.ts';
import { digestOf, episodeBody } from '../stored/episode-note.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import { isSettled } from '../stored/shapes.ts';
import type { StoredEpisode } from '../stored/shapes.ts';
import { CLAIM_MS, dueItems, nextDue } from './due.ts';
import { isToExtract, openEpisodeExtraction } from './episode-extraction.ts';
import type { EpisodeExtraction } from './episode-extraction.ts';
import { EpisodeWriter } from './episode-writer.ts';
import { isOurs, markOf } from './mark.ts';
import { countersOf } from './metrics.ts';
import type { Counters } from './metrics.ts';
import { advanced, changeIngest, toFailure } from './outcome.ts';

/** Items of one write, and items that an endpoint is asked about at once. */
const MAX_AT_ONCE = 100;
const MAX_ASKED = 4;
/** Pauses after a write that failed for reasons of the vault, and not of an item. */
const PAUSES_MS = [1_000, 5_000, 30_000];

/** Works off accepted items, in the background (S3-23 to S3-33). */
export interface Pipeline {
  /** Takes on items that this process accepted: they are worked on at once. */
  take(paths: readonly string[]): void;
  /** Looks for items to work on, as when a server begins: those that a crash left. */
  wake(): void;
  /** Resolves when these are completed or parked, or so many milliseconds are over. */
  settled(paths: readonly string[], options: { readonly withinMs: number; readonly onProgress?: (done: number) => void }): Promise<boolean>;
  readonly counters: Counters;
  /** What hinders it at the moment; null: nothing. */
  readonly trouble: string | null;
  close(): void;
}

/** The pipeline of a vault, made on first use and gone with the vault. */
export function pipelineOf(vault: Vault): Pipeline {
  return vault.derived(openPipeline);
}

function openPipeline(vault: Vault): Pipeline {
  return new IngestPipeline(vault);
}

class IngestPipeline implements Pipeline {
  readonly counters: Counters;
  readonly #vault: Vault;
  readonly #index: KnowledgeIndex;
  readonly #extraction: EpisodeExtraction;
  readonly #writer: EpisodeWriter;
  /** Claims items. */
  readonly #self: string;
  /** Accepted by this process. */
  readonly #own = new Set<string>();
  /** An endpoint is being asked about these. */
  readonly #asked = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #unfollow: () => void;
  #isRunning = false;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #trouble: string | null = null;

  constructor(vault: Vault) {
    this.#vault = vault;
    this.counters = countersOf(vault);
    this.#index = knowledgeOf(vault);
    this.#extraction = openEpisodeExtraction(this.#index, vault.config);
    this.#self = vault.ports.newId();
    this.#writer = new EpisodeWriter({
      vault,
      index: this.#index,
      counters: this.counters,
      self: this.#self,
      signal: this.#closing.signal,
    });
    const root = `${this.#index.root}/`;
    this.#unfollow = vault.onChange((paths) => {
      if (paths.some((path) => path.startsWith(root))) this.wake();
    });
  }

  get trouble(): string | null {
    return this.#trouble;
  }

  take(paths: readonly string[]): void {
    for (const path of paths) this.#own.add(path);
    this.counters.add('ingestion_accepted_total', paths.length);
    this.wake();
  }

  wake(): void {
    if (this.#closing.signal.aborted || this.#vault.config.readOnly) return;
    this.#isWanted = true;
    if (!this.#isRunning) void this.#run();
  }

  async settled(paths: readonly string[], { withinMs, onProgress }: Parameters<Pipeline['settled']>[1]): Promise<boolean> {
    const left = (): number => paths.filter((path) => !this.#isSettled(path)).length;
    const until = performance.now() + withinMs;
    for (let open = left(); open > 0; open = left()) {
      onProgress?.(paths.length - open);
      const rest = until - performance.now();
      if (rest <= 0 || this.#closing.signal.aborted) return false;
      await this.#nextStep(rest);
    }
    onProgress?.(paths.length);
    return true;
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#unfollow();
    this.#step();
  }

  #isSettled(path: string): boolean {
    this.#index.refresh();
    const stored = this.#index.at(path);
    return stored?.kind !== 'episode' || stored.ingest === null || isSettled(stored.ingest);
  }

  /** Resolves after the next step of the work, or so many milliseconds. */
  #nextStep(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.#waiting.add(done);
    });
  }

  #step(): void {
    for (const done of this.#waiting) done();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    clearTimeout(this.#timer);
    try {
      while (this.#isWanted && !this.#closing.signal.aborted) {
        this.#isWanted = false;
        // What calls wait for goes first.
        await new Promise((resolve) => setImmediate(resolve));
        const isMore = await this.#work();
        this.#trouble = null;
        this.#failures = 0;
        if (isMore) this.#isWanted = true;
        this.#step();
      }
      this.#sleep();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#trouble = errorMessage(error);
      this.#vault.ports.log.warn(`Items of the knowledge graph wait: ${this.#trouble}`);
      this.#sleepFor(PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length - 1)] ?? 1_000);
      this.#failures += 1;
    } finally {
      this.#isRunning = false;
      this.#step();
    }
  }

  /** One round: begins to ask about what an endpoint is asked about, and writes what is ready. Whether there was something to write. */
  async #work(): Promise<boolean> {
    this.#index.refresh();
    const due = this.#due();
    const { extractor } = this.#vault.ports;
    const batch: StoredEpisode[] = [];
    const asking: StoredEpisode[] = [];
    for (const episode of due) {
      if (extractor != null && isToExtract(episode)) asking.push(episode);
      else if (batch.length < MAX_AT_ONCE && (batch[0]?.createdBy ?? episode.createdBy) === episode.createdBy) batch.push(episode);
    }
    if (extractor != null) await this.#ask(extractor, asking.slice(0, MAX_ASKED - this.#asked.size));
    if (batch.length === 0) return false;
    const ready = await Promise.all(batch.map((episode) => this.#extraction.local(episode, this.#closing.signal)));
    for (const path of await this.#writer.upsert(ready)) this.#own.delete(path);
    return true;
  }

  #due(): readonly StoredEpisode[] {
    return dueItems(this.#items(), this.#looking());
  }

  #looking(): Parameters<typeof dueItems>[1] {
    return { own: this.#own, self: this.#self, nowMs: this.#vault.ports.clock.now() };
  }

  /** What is pending, is this user's, and nobody is being asked about. */
  #items(): readonly StoredEpisode[] {
    const { ports } = this.#vault;
    return this.#index
      .pending()
      .filter((episode) => !this.#asked.has(episode.path) && this.#index.isServed(episode) && isOurs(ports, episode));
  }

  /** Sleeps until the first item that waits is due. */
  #sleep(): void {
    const looking = this.#looking();
    const first = nextDue(this.#items(), looking);
    if (first !== null) this.#sleepFor(Math.max(50, first - looking.nowMs));
  }

  #sleepFor(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(milliseconds, 60_000));
    // What waits is durable: nobody has to stay for it.
    this.#timer.unref();
  }

  /** Asks an endpoint about items, each on its own: a slow one holds up no other. */
  async #ask(extractor: Extractor, episodes: readonly StoredEpisode[]): Promise<void> {
    if (episodes.length === 0) return;
    const until = new Date(this.#vault.ports.clock.now() + CLAIM_MS).toISOString();
    const claimed = await this.#writer.write(episodes[0]!.createdBy, episodes, (now, at) => {
      // Another process may have its answer already.
      if (!isToExtract(now)) return [];
      const claim = { claimed_until: until, claimed_by: this.#self };
      return [
        changeIngest(
          now.path,
          at,
          Object.entries(claim).map(([key, value]) => ({ op: 'set', key: ['ingest', key], value })),
        ),
      ];
    });
    for (const path of claimed) {
      const episode = episodes.find((each) => each.path === path)!;
      this.#own.add(path);
      this.#asked.add(path);
      void this.#answer(extractor, episode).finally(() => {
        this.#asked.delete(path);
        this.wake();
      });
    }
  }

  async #answer(extractor: Extractor, episode: StoredEpisode): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(CLAIM_MS - 10_000)]);
    const answer = await this.#extraction
      .remote(extractor, episode, signal)
      .catch((error: unknown) => ({ failure: toFailure(error, 'extract') }));
    if (this.#closing.signal.aborted) return;
    try {
      await this.#writer.write(episode.createdBy, [episode], (now, at) => {
        if (!isToExtract(now)) return [];
        if ('failure' in answer) return [this.#writer.fail(now, answer.failure, at)];
        // What is there now may be another text than the one that was asked about.
        if (now.digest !== episode.digest) return [];
        const content = { body: this.#extraction.contentOf(now).body, extraction: answer.found };
        const mark = markOf(this.#vault.ports, { ...now, digest: digestOf(now, content) });
        const { path, changes } = advanced(now, 'extracted', at) as Extract<FileChange, { kind: 'change' }>;
        const text = episodeBody({ source: now.source, ...content });
        return [{ kind: 'change', path, changes: [{ op: 'body', text }, ...changes, { op: 'set', key: ['ingest', 'mark'], value: mark }] }];
      });
    } catch (error) {
      this.#vault.ports.log.warn(`What was extracted could not be kept: ${errorMessage(error)}`);
    }
  }
}
