import { errorMessage, RouxError } from '../../../errors.ts';
import type { ErrorCode } from '../../../errors.ts';
import { readExtraction } from '../../../extraction/extraction.ts';
import type { Extraction, ExtractionLimits } from '../../../extraction/extraction.ts';
import { EXTRACTION_LIMITS } from '../../../extraction/extraction.ts';
import { rulesExtractor } from '../../../extraction/rules/rules-extractor.ts';
import { isoNow } from '../../../ports.ts';
import type { Extractor } from '../../../ports.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { Vault } from '../../../vault/vault.ts';
import { singleRelations } from '../single-relations.ts';
import { episodeBody } from '../stored/episode-note.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import { isSettled } from '../stored/shapes.ts';
import type { EpisodeContent, StoredEpisode } from '../stored/shapes.ts';
import { KnowledgeDraft } from './draft.ts';
import { isOurs } from './mark.ts';
import { Counters } from './metrics.ts';
import { advanced, changeIngest, failed, toFailure } from './outcome.ts';
import type { Failure } from './outcome.ts';

/** Items of one write, and items that an endpoint is asked about at once. */
const MOST_AT_ONCE = 100;
const MOST_ASKED = 4;
/** What another process accepted is left to it for so long. */
const LEFT_TO_OTHERS_MS = 5_000;
/** So long an item that an endpoint is asked about belongs to the process that asks. */
const CLAIM_MS = 150_000;
/** Pauses after a write that failed for reasons of the vault, and not of an item. */
const PAUSES_MS = [1_000, 5_000, 30_000];

/** Failures of a write that say nothing about what was to be written. */
const OF_THE_VAULT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'LOCK_TIMEOUT',
  'NO_SPACE',
  'IO_ERROR',
  'READ_ONLY',
  'VAULT_SHRUNK',
  'VAULT_NOT_FOUND',
  'CANCELLED',
]);

/** An item with what is to be brought into the graph, or why that is not there. */
interface Ready {
  readonly episode: StoredEpisode;
  readonly outcome: { readonly extraction: Extraction } | { readonly failure: Failure };
}

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
  readonly counters = new Counters();
  readonly #vault: Vault;
  readonly #index: KnowledgeIndex;
  readonly #rules: Extractor;
  readonly #limits: ExtractionLimits;
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
    this.#index = knowledgeOf(vault);
    const { name, summary, fact, attributes } = vault.config.knowledge.limits;
    this.#limits = { ...EXTRACTION_LIMITS, name, summary, fact, attributesBytes: attributes };
    this.#rules = rulesExtractor(this.#limits);
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
      else if (batch.length < MOST_AT_ONCE && (batch[0]?.createdBy ?? episode.createdBy) === episode.createdBy) batch.push(episode);
    }
    if (extractor != null) await this.#ask(extractor, asking.slice(0, MOST_ASKED - this.#asked.size));
    if (batch.length === 0) return false;
    const ready = await Promise.all(batch.map((episode) => this.#extract(episode)));
    await this.#upsert(ready);
    return true;
  }

  /** Items to work on now, those of all groups in turn, the oldest first. */
  #due(): readonly StoredEpisode[] {
    const now = isoNow(this.#vault.ports.clock);
    const before = new Date(this.#vault.ports.clock.now() - LEFT_TO_OTHERS_MS).toISOString();
    const groups = new Map<string, StoredEpisode[]>();
    for (const episode of this.#index.pending()) {
      if (!this.#isMine(episode) || this.#asked.has(episode.path) || !this.#index.isServed(episode)) continue;
      const { retryAt, claimedUntil } = episode.ingest!;
      if (retryAt !== null && retryAt > now) continue;
      if (!this.#own.has(episode.path) && (episode.createdAt > before || (claimedUntil !== null && claimedUntil > now))) continue;
      groups.set(episode.groupId, [...(groups.get(episode.groupId) ?? []), episode]);
    }
    const queues = [...groups.values()].map((queue) =>
      queue.sort((a, b) => (`${a.createdAt} ${a.uuid}` < `${b.createdAt} ${b.uuid}` ? -1 : 1)),
    );
    const longest = Math.max(0, ...queues.map(({ length }) => length));
    return Array.from({ length: longest }, (_, at) => queues.flatMap((queue) => queue[at] ?? [])).flat();
  }

  #isMine({ uuid, groupId, ingest }: StoredEpisode): boolean {
    return ingest !== null && isOurs(this.#vault.ports, { uuid, groupId, hash: ingest.hash }, ingest.mark);
  }

  /** Sleeps until the first item that waits is due. */
  #sleep(): void {
    const now = this.#vault.ports.clock.now();
    const times = this.#index
      .pending()
      .filter((episode) => this.#isMine(episode) && !this.#asked.has(episode.path))
      .map(({ path, createdAt, ingest }) => {
        const others = this.#own.has(path)
          ? []
          : [Date.parse(createdAt) + LEFT_TO_OTHERS_MS, Date.parse(ingest?.claimedUntil ?? createdAt)];
        return Math.max(Date.parse(ingest?.retryAt ?? createdAt), ...others);
      });
    if (times.length > 0) this.#sleepFor(Math.max(50, times.reduce((a, b) => Math.min(a, b)) - now));
  }

  #sleepFor(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(milliseconds, 60_000));
    // What waits is durable: nobody has to stay for it.
    this.#timer.unref();
  }

  /** What was supplied or extracted before, else what the rules read; checked. */
  async #extract(episode: StoredEpisode): Promise<Ready> {
    try {
      const content = this.#contentOf(episode);
      const found = content.extraction ?? (await this.#rules.extract(toText(episode, content), this.#closing.signal));
      return { episode, outcome: { extraction: readExtraction(found, this.#limits) } };
    } catch (error) {
      return { episode, outcome: { failure: toFailure(error, 'extract') } };
    }
  }

  #contentOf(episode: StoredEpisode): EpisodeContent {
    const content = this.#index.contentOf(episode);
    if (content === null) throw new RouxError('NOT_FOUND', 'The note of the episode cannot be read.', {}, { retryable: true });
    return content;
  }

  /** Asks an endpoint about items, each on its own: a slow one holds up no other. */
  async #ask(extractor: Extractor, episodes: readonly StoredEpisode[]): Promise<void> {
    if (episodes.length === 0) return;
    const until = new Date(this.#vault.ports.clock.now() + CLAIM_MS).toISOString();
    const claimed = await this.#write(episodes[0]!.createdBy, episodes, (now, at) => [
      changeIngest(now.path, at, [{ op: 'set', key: ['ingest', 'claimed_until'], value: until }]),
    ]);
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
    const answer = await this.#answerOf(extractor, episode, signal).catch((error: unknown) => ({ failure: toFailure(error, 'extract') }));
    if (this.#closing.signal.aborted) return;
    try {
      await this.#write(episode.createdBy, [episode], (now, at) => {
        if ('failure' in answer) return [this.#fail(now, answer.failure, at)];
        const content = this.#contentOf(now);
        const body = episodeBody({ source: now.source, body: content.body, extraction: answer.found });
        const { path, changes } = advanced(now, 'extracted', at) as Extract<FileChange, { kind: 'change' }>;
        return [{ kind: 'change', path, changes: [{ op: 'body', text: body }, ...changes] }];
      });
    } catch (error) {
      this.#vault.ports.log.warn(`What was extracted could not be kept: ${errorMessage(error)}`);
    }
  }

  async #answerOf(extractor: Extractor, episode: StoredEpisode, signal: AbortSignal): Promise<{ readonly found: unknown }> {
    const found = await extractor.extract(toText(episode, this.#contentOf(episode)), signal);
    try {
      const extraction = readExtraction(found, this.#limits);
      const group = this.#index.group(episode.groupId);
      const unknown = extraction.unknownRefs.find((ref) => group === null || group.entity(ref) === null);
      if (unknown !== undefined) throw new RouxError('INVALID_ARGUMENT', `${JSON.stringify(unknown)} is no entity of the group.`);
    } catch (error) {
      // Asked again, a model may answer as it should.
      throw new RouxError(
        'PROVIDER_ERROR',
        `What was extracted is not valid: ${errorMessage(error)}`,
        { retryable: true },
        { cause: error },
      );
    }
    return { found };
  }

  /** Brings items into the graph, all in one write; where that fails because of one of them, each by itself. */
  async #upsert(ready: readonly Ready[]): Promise<void> {
    try {
      await this.#upsertAll(ready);
    } catch (error) {
      if (error instanceof RouxError && OF_THE_VAULT.has(error.code)) throw error;
      const [only, ...others] = ready;
      if (only === undefined) return;
      if (others.length > 0) for (const each of ready) await this.#upsert([each]);
      else {
        const failure = { ...toFailure(error, 'upsert'), isRetryable: true };
        await this.#write(only.episode.createdBy, [only.episode], (now, at) => [this.#fail(now, failure, at)]);
      }
    }
  }

  async #upsertAll(ready: readonly Ready[]): Promise<void> {
    const outcomes = new Map(ready.map(({ episode, outcome }) => [episode.path as string, outcome]));
    const done: string[] = [];
    await this.#vault.write(this.#meta(ready[0]!.episode.createdBy), (graph) => {
      this.#index.refresh();
      done.length = 0;
      const at = isoNow(this.#vault.ports.clock);
      const agent = ready[0]!.episode.createdBy;
      const isSingle = singleRelations(this.#vault);
      const draft = new KnowledgeDraft({ vault: this.#vault, index: this.#index, graph, at, agent, isSingle });
      const files: FileChange[] = [];
      for (const [path, outcome] of outcomes) {
        const now = this.#stillOpen(path);
        if (now === null) continue;
        const failure = 'failure' in outcome ? outcome.failure : bringIn(draft, now, outcome.extraction);
        if (failure !== null) {
          if (failure.stage === 'upsert' && failure.code === 'CONFLICT') this.counters.add('upsert_conflicts_total');
          files.push(this.#fail(now, failure, at));
        } else {
          files.push(advanced(now, 'completed', at));
          done.push(path);
        }
      }
      return { files: [...draft.files(), ...files] };
    });
    this.counters.add('ingestion_processed_total', done.length);
    for (const path of done) this.#own.delete(path);
  }

  #fail(episode: StoredEpisode, failure: Failure, at: string): FileChange {
    const { attempts } = this.#vault.config.knowledge;
    const { file, isParked } = failed(episode, failure, { at, attempts, random: () => this.#vault.ports.random() });
    this.counters.add('ingestion_failed_total');
    if (failure.stage === 'extract') this.counters.add('extraction_failures_total');
    if (isParked) this.counters.add('parked_items_total');
    return file;
  }

  /** The item as it is now, under the lock; null where another process is done with it, or it is gone. */
  #stillOpen(path: string): StoredEpisode | null {
    const stored = this.#index.at(path);
    return stored?.kind === 'episode' && stored.ingest !== null && !isSettled(stored.ingest) ? stored : null;
  }

  /** Writes what is said of items that are open still; the paths of those. */
  async #write(
    agent: string,
    episodes: readonly StoredEpisode[],
    change: (now: StoredEpisode, at: string) => readonly FileChange[],
  ): Promise<readonly string[]> {
    const written: string[] = [];
    await this.#vault.write(this.#meta(agent), () => {
      this.#index.refresh();
      written.length = 0;
      const at = isoNow(this.#vault.ports.clock);
      const files = episodes.flatMap(({ path }) => {
        const now = this.#stillOpen(path);
        const isTaken = now?.ingest?.claimedUntil != null && now.ingest.claimedUntil > at && !this.#own.has(path);
        if (now === null || isTaken) return [];
        written.push(path);
        return change(now, at);
      });
      return { files };
    });
    return written;
  }

  #meta(agent: string): { readonly operation: string; readonly agent: string; readonly signal: AbortSignal } {
    return { operation: 'kg_ingest', agent, signal: this.#closing.signal };
  }
}

/** Whether nothing was extracted for an item yet, nor supplied with it. */
function isToExtract({ ingest }: StoredEpisode): boolean {
  return ingest?.state === 'accepted' || ingest?.state === 'extract_failed';
}

function bringIn(draft: KnowledgeDraft, episode: StoredEpisode, extraction: Extraction): Failure | null {
  try {
    draft.putExtraction(extraction, episode);
    return null;
  } catch (error) {
    return toFailure(error, 'upsert');
  }
}

function toText(episode: StoredEpisode, { body }: EpisodeContent): Parameters<Extractor['extract']>[0] {
  const { uuid, groupId, source, referenceTime, name, sourceDescription } = episode;
  return {
    uuid,
    groupId,
    source,
    body,
    referenceTime,
    ...(name === null ? {} : { name }),
    ...(sourceDescription === null ? {} : { sourceDescription }),
  };
}
