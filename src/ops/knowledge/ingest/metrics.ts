import type { Vault } from '../../../vault/vault.ts';
import type { Failure } from './outcome.ts';

/** Counts of this process since it opened the vault (S3-51). */
export interface KnowledgeMetrics {
  readonly ingestion_accepted_total: number;
  readonly ingestion_processed_total: number;
  readonly ingestion_failed_total: number;
  readonly parked_items_total: number;
  readonly extraction_failures_total: number;
  readonly embedding_failures_total: number;
  readonly upsert_conflicts_total: number;
  readonly search_latency_ms: {
    readonly count: number;
    readonly sum: number;
    readonly p50: number;
    readonly p90: number;
    readonly p99: number;
  };
}

export type Counter = Exclude<keyof KnowledgeMetrics, 'search_latency_ms'>;

/** The newest searches, from which percentiles are computed. */
const MAX_SAMPLES = 1000;

export class Counters {
  readonly #counts = new Map<Counter, number>();
  readonly #latencies: number[] = [];
  #searches = 0;
  #latency = 0;

  add(counter: Counter, count = 1): void {
    this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + count);
  }

  /** Counts an item that was completed, or parked because of a failure. */
  settle(failure: Pick<Failure, 'stage' | 'code'> | null): void {
    if (failure === null) return this.add('ingestion_processed_total');
    this.add('parked_items_total');
    this.fail(failure);
  }

  /** Counts a failed stage of an item. */
  fail({ stage, code }: Pick<Failure, 'stage' | 'code'>): void {
    this.add('ingestion_failed_total');
    if (stage === 'extract') this.add('extraction_failures_total');
    if (stage === 'upsert' && code === 'CONFLICT') this.add('upsert_conflicts_total');
  }

  searched(milliseconds: number): void {
    this.#latencies[this.#searches % MAX_SAMPLES] = milliseconds;
    this.#searches += 1;
    this.#latency += milliseconds;
  }

  read(): KnowledgeMetrics {
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
    const at = (share: number): number => rounded(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
    const count = (counter: Counter): number => this.#counts.get(counter) ?? 0;
    return {
      ingestion_accepted_total: count('ingestion_accepted_total'),
      ingestion_processed_total: count('ingestion_processed_total'),
      ingestion_failed_total: count('ingestion_failed_total'),
      parked_items_total: count('parked_items_total'),
      extraction_failures_total: count('extraction_failures_total'),
      embedding_failures_total: count('embedding_failures_total'),
      upsert_conflicts_total: count('upsert_conflicts_total'),
      search_latency_ms: { count: this.#searches, sum: rounded(this.#latency), p50: at(0.5), p90: at(0.9), p99: at(0.99) },
    };
  }
}

const createCounters = (): Counters => new Counters();

/** Returns the counters of a vault in this process. */
export function countersOf(vault: Vault): Counters {
  return vault.derived(createCounters);
}
