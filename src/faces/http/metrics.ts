import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { RouxError } from '../../errors.ts';
import { healthcheck } from '../../ops/knowledge/maintain/operations.ts';
import type { AnswerOf } from '../../ops/operation.ts';
import type { Host } from '../host.ts';
import { answerError } from './api/answer.ts';
import type { Callers } from './api/callers.ts';
import type { HttpContext } from './env.ts';

type KnowledgeMetrics = AnswerOf<typeof healthcheck>['metrics'];

/** The help texts of the knowledge graph's counters (seed 003, section 14). */
const COUNTERS: Readonly<Record<Exclude<keyof KnowledgeMetrics, 'search_latency_ms'>, string>> = {
  ingestion_accepted_total: 'Items that were accepted.',
  ingestion_processed_total: 'Items that were completed.',
  ingestion_failed_total: 'Attempts at a stage of an item that failed.',
  parked_items_total: 'Items that were parked.',
  extraction_failures_total: 'Attempts at extraction that failed.',
  embedding_failures_total: 'Attempts at embedding that failed.',
  upsert_conflicts_total: 'Items that contradict what is stored.',
};

/** The metrics of the server: requests by route and status, their duration, and the state of the vault. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter;
  readonly #seconds: Histogram;
  readonly #sessions: Gauge;
  readonly #notes: Gauge;
  readonly #ready: Gauge;

  constructor() {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'http_requests_total',
      help: 'Requests that were answered.',
      labelNames: ['route', 'status'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'From the request to the end of its answer; streams that stay open are not counted.',
      labelNames: ['route'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
      registers,
    });
    this.#sessions = new Gauge({ name: 'mcp_sessions', help: 'MCP sessions that are open.', registers });
    this.#notes = new Gauge({ name: 'vault_notes', help: 'Notes in the vault.', registers });
    this.#ready = new Gauge({ name: 'vault_ready', help: '1 once the whole vault is indexed.', registers });
  }

  /** Counts one answer. `route` is its pattern, so that there are few different values. */
  count({ route, status, seconds }: { readonly route: string; readonly status: number; readonly seconds: number | null }): void {
    this.#requests.inc({ route, status: String(status) });
    if (seconds !== null) this.#seconds.observe({ route }, seconds);
  }

  /**
   * `GET /metrics`: answers in the text format of Prometheus 0.0.4, including the counters of the knowledge graph since this process opened
   * the vault (S3-51).
   */
  async answer(
    { host, callers, sessions }: { readonly host: Host; readonly callers: Callers; readonly sessions: number },
    context: HttpContext,
  ): Promise<Response> {
    try {
      // The metrics cover the whole vault.
      if (context.env.access.folders !== null)
        throw new RouxError('FORBIDDEN', 'Metrics need a token for the whole vault; this one is for some of its folders.');
      const { output } = await callers.sessionOf(context).run(healthcheck, { input: {} });
      const { isReady, notes } = await host.state();
      this.#sessions.set(sessions);
      this.#notes.set(notes);
      this.#ready.set(isReady ? 1 : 0);
      const text = `${(await this.#registry.metrics()).trimEnd().replaceAll('\n\n', '\n')}\n${knowledgeText(output.metrics)}`;
      return context.body(text, 200, {
        'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      });
    } catch (error) {
      return answerError(context, error);
    }
  }
}

/** Formats counters that are already totals, which the library's counters cannot represent. */
function knowledgeText({ search_latency_ms: latency, ...counters }: KnowledgeMetrics): string {
  const lines = Object.entries(COUNTERS).flatMap(([name, help]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} counter`,
    `${name} ${counters[name as keyof typeof counters]}`,
  ]);
  const { count, sum, p50, p90, p99 } = latency;
  return [
    ...lines,
    '# HELP search_latency_ms Milliseconds that searches for facts took, the newest thousand of them.',
    '# TYPE search_latency_ms summary',
    `search_latency_ms{quantile="0.5"} ${p50}`,
    `search_latency_ms{quantile="0.9"} ${p90}`,
    `search_latency_ms{quantile="0.99"} ${p99}`,
    `search_latency_ms_sum ${sum}`,
    `search_latency_ms_count ${count}`,
    '',
  ].join('\n');
}
