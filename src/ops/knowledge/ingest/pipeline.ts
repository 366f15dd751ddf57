import { errorMessage } from '../../../errors.ts';
import type { Extractor } from '../../../ports.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { Vault } from '../../../vault/vault.ts';
import { EndpointPause } from '../endpoint/endpoint-pause.ts';
import { digestOf, episodeBody } from '../stored/episode-note.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import { isSettled } from '../stored/shapes.ts';
import type { StoredEpisode } from '../stored/shapes.ts';
import { CLAIM_MS, dueItems, isClaimed, nextDue } from './due.ts';
import { isAwaitingExtraction, createEpisodeExtraction } from './episode-extraction.ts';
import type { EpisodeExtraction } from './episode-extraction.ts';
import { EpisodeWriter } from './episode-writer.ts';
import { isAcceptedHere, markOf } from './mark.ts';
import { countersOf } from './metrics.ts';
import type { Counters } from './metrics.ts';
import { advanceItem, changeIngest, postponeItem, toFailure } from './outcome.ts';

const MAX_BATCH_ITEMS = 100;
const MAX_CONCURRENT_REQUESTS = 4;
const MIN_SLEEP_MS = 50;
/** How often a claim of another process is checked. */
const CLAIM_CHECK_MS = 2_000;
/** Delays after writes that failed because of the vault, and not because of an item. */
const RETRY_DELAYS_MS = [1_000, 5_000, 30_000];

/** Processes accepted items in the background (S3-23 to S3-33). */
export interface Pipeline {
  /** Starts to process items that this process accepted. */
  enqueue(paths: readonly string[]): void;
  /** Looks for items to process, such as those that a crash interrupted. */
  wake(): void;
  /** Waits until the items are completed or parked; resolves to false after `withinMs` milliseconds. */
  waitUntilSettled(
    paths: readonly string[],
    options: { readonly withinMs: number; readonly onProgress?: (done: number) => void },
  ): Promise<boolean>;
  readonly counters: Counters;
  /** What prevents progress at present; null if nothing does. */
  readonly problem: string | null;
  close(): void;
}

/** Returns the pipeline of a vault, created on first use and closed with the vault. */
export function pipelineOf(vault: Vault): Pipeline {
  return vault.derived(createPipeline);
}

function createPipeline(vault: Vault): Pipeline {
  return new IngestPipeline(vault);
}

class IngestPipeline implements Pipeline {
  readonly counters: Counters;
  readonly #vault: Vault;
  readonly #index: KnowledgeIndex;
  readonly #extraction: EpisodeExtraction;
  readonly #writer: EpisodeWriter;
  /** The name under which this process claims items. */
  readonly #self: string;
  /** Paths of items that this process accepted. */
  readonly #own = new Set<string>();
  /** Paths of items about which an endpoint is being called. */
  readonly #requested = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly #pause = new EndpointPause();
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;
  #isRunning = false;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #problem: string | null = null;

  constructor(vault: Vault) {
    this.#vault = vault;
    this.counters = countersOf(vault);
    this.#index = knowledgeOf(vault);
    this.#extraction = createEpisodeExtraction(vault, this.#index);
    this.#self = `${vault.ports.process?.name ?? ''}/${vault.ports.newId()}`;
    this.#writer = new EpisodeWriter({
      vault,
      index: this.#index,
      counters: this.counters,
      self: this.#self,
      signal: this.#closing.signal,
    });
    const root = `${this.#index.root}/`;
    this.#unsubscribe = vault.notes.onChange((paths) => {
      if (paths.some((path) => path.startsWith(root))) this.wake();
    });
  }

  get problem(): string | null {
    return this.#problem ?? this.#pause.describe();
  }

  enqueue(paths: readonly string[]): void {
    for (const path of paths) this.#own.add(path);
    this.counters.add('ingestion_accepted_total', paths.length);
    this.wake();
  }

  wake(): void {
    if (this.#closing.signal.aborted || this.#vault.settings.config.readOnly) return;
    this.#isWanted = true;
    if (!this.#isRunning) void this.#run();
  }

  async waitUntilSettled(
    paths: readonly string[],
    { withinMs, onProgress }: Parameters<Pipeline['waitUntilSettled']>[1],
  ): Promise<boolean> {
    const countOpen = (): number => paths.filter((path) => !this.#isSettled(path)).length;
    const until = performance.now() + withinMs;
    for (let open = countOpen(); open > 0; open = countOpen()) {
      onProgress?.(paths.length - open);
      const remainingMs = until - performance.now();
      if (remainingMs <= 0 || this.#closing.signal.aborted) return false;
      await this.#nextStep(remainingMs);
    }
    onProgress?.(paths.length);
    return true;
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#unsubscribe();
    this.#notifyWaiting();
  }

  #isSettled(path: string): boolean {
    this.#index.refresh();
    const stored = this.#index.at(path);
    return stored?.kind !== 'episode' || stored.ingest === null || isSettled(stored.ingest);
  }

  /** Resolves after the next batch, or after `withinMs` milliseconds. */
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

  #notifyWaiting(): void {
    for (const done of this.#waiting) done();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    clearTimeout(this.#timer);
    try {
      while (this.#isWanted && !this.#closing.signal.aborted) {
        this.#isWanted = false;
        // Lets pending calls run first.
        await new Promise((resolve) => setImmediate(resolve));
        const hasMore = await this.#work();
        this.#problem = null;
        this.#failures = 0;
        if (hasMore) this.#isWanted = true;
        this.#notifyWaiting();
      }
      this.#sleep();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#problem = errorMessage(error);
      this.#vault.ports.log.warn(`Ingestion into the knowledge graph is waiting: ${this.#problem}`);
      this.#sleepFor(RETRY_DELAYS_MS[Math.min(this.#failures, RETRY_DELAYS_MS.length - 1)] ?? 1_000);
      this.#failures += 1;
    } finally {
      this.#isRunning = false;
      this.#notifyWaiting();
    }
  }

  /** Starts calls to the endpoint and writes one batch of the other items. Returns whether there was a batch. */
  async #work(): Promise<boolean> {
    this.#index.refresh();
    const due = this.#due();
    const { extractor } = this.#vault.ports;
    const batch: StoredEpisode[] = [];
    const toRequest: StoredEpisode[] = [];
    for (const episode of due) {
      if (extractor != null && isAwaitingExtraction(episode)) toRequest.push(episode);
      else if (batch.length < MAX_BATCH_ITEMS && (batch[0]?.createdBy ?? episode.createdBy) === episode.createdBy) batch.push(episode);
    }
    const free = this.#pause.allowed(MAX_CONCURRENT_REQUESTS, this.#vault.ports.clock.now()) - this.#requested.size;
    if (extractor != null && free > 0) await this.#request(extractor, toRequest.slice(0, free));
    if (batch.length === 0) return false;
    const ready = await Promise.all(batch.map((episode) => this.#extraction.local(episode, this.#closing.signal)));
    for (const path of await this.#writer.upsert(ready)) this.#own.delete(path);
    return true;
  }

  #due(): readonly StoredEpisode[] {
    return dueItems(this.#items(), this.#dueContext());
  }

  #dueContext(): Parameters<typeof dueItems>[1] {
    const { clock, process } = this.#vault.ports;
    return { own: this.#own, self: this.#self, nowMs: clock.now(), hasEnded: (name) => process?.liveness(name) === 'dead' };
  }

  /** Returns the open items that were accepted here and about which no endpoint is being called. */
  #items(): readonly StoredEpisode[] {
    const { ports } = this.#vault;
    return this.#index
      .pending()
      .filter((episode) => !this.#requested.has(episode.path) && this.#index.isServed(episode) && isAcceptedHere(ports, episode));
  }

  /** Sleeps until the next item is due. */
  #sleep(): void {
    const context = this.#dueContext();
    const items = this.#items();
    // During a pause only what needs no endpoint is due.
    const pausedUntil = this.#pause.endMs(context.nowMs);
    const hasEndpoint = this.#vault.ports.extractor != null;
    const ready = items.filter((episode) => pausedUntil === 0 || !hasEndpoint || !isAwaitingExtraction(episode));
    const first = nextDue(ready, context) ?? Infinity;
    const end = ready.length < items.length ? Math.min(first, pausedUntil) : first;
    // A process that claims an item may end at any time.
    const isClaimedElsewhere = items.some(({ ingest }) => ingest !== null && isClaimed(ingest, context));
    const wait = Math.min(Math.max(MIN_SLEEP_MS, end - context.nowMs), isClaimedElsewhere ? CLAIM_CHECK_MS : Infinity);
    if (wait !== Infinity) this.#sleepFor(wait);
  }

  #sleepFor(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(milliseconds, 60_000));
    // Open items are durable, so the process need not stay alive for them.
    this.#timer.unref();
  }

  /** Claims items and calls the endpoint about each; a slow answer delays no other item. */
  async #request(extractor: Extractor, episodes: readonly StoredEpisode[]): Promise<void> {
    if (episodes.length === 0) return;
    const until = new Date(this.#vault.ports.clock.now() + CLAIM_MS).toISOString();
    const claimed = await this.#writer.write(episodes[0]!.createdBy, episodes, (now, at) => {
      // Another process may have stored an answer already.
      if (!isAwaitingExtraction(now)) return [];
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
      this.#requested.add(path);
      void this.#extractRemotely(extractor, episode).finally(() => {
        this.#requested.delete(path);
        this.wake();
      });
    }
  }

  async #extractRemotely(extractor: Extractor, episode: StoredEpisode): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(CLAIM_MS - 10_000)]);
    const answer = await this.#extraction
      .remote(extractor, episode, signal)
      .catch((error: unknown) => ({ failure: toFailure(error, 'extract') }));
    if (this.#closing.signal.aborted) return;
    const nowMs = this.#vault.ports.clock.now();
    const isAway = 'failure' in answer && answer.failure.isAway;
    const untilMs = isAway ? this.#pause.fail(answer.failure, nowMs) : 0;
    if (!isAway) this.#pause.succeed();
    try {
      await this.#writer.write(episode.createdBy, [episode], (now, at) => {
        if (!isAwaitingExtraction(now)) return [];
        if (isAway) return [postponeItem(now, { message: answer.failure.message, at, untilMs })];
        if ('failure' in answer) return [this.#writer.fail(now, answer.failure, at)];
        // The note may have changed since the call began.
        if (now.digest !== episode.digest) return [];
        const content = { body: this.#extraction.contentOf(now).body, extraction: answer.found };
        const mark = markOf(this.#vault.ports, { ...now, digest: digestOf(now, content) });
        const { path, changes } = advanceItem(now, 'extracted', at) as Extract<FileChange, { kind: 'change' }>;
        const text = episodeBody({ source: now.source, ...content });
        return [{ kind: 'change', path, changes: [{ op: 'body', text }, ...changes, { op: 'set', key: ['ingest', 'mark'], value: mark }] }];
      });
    } catch (error) {
      this.#vault.ports.log.warn(`An extraction could not be saved: ${errorMessage(error)}`);
    }
  }
}
