import type { IncomingMessage, ServerResponse } from 'node:http';
import { healthcheck } from '../../ops/knowledge/maintain/operations.ts';
import type { AnswerOf } from '../../ops/operation.ts';
import type { Session } from '../../ops/session.ts';
import { sendJson, sendText } from './send.ts';

type Metrics = AnswerOf<typeof healthcheck>['metrics'];

/** What each counter counts, for who reads them without the document (seed 003, section 14). */
const COUNTERS: Readonly<Record<Exclude<keyof Metrics, 'search_latency_ms'>, string>> = {
  ingestion_accepted_total: 'Items that were accepted.',
  ingestion_processed_total: 'Items that were completed.',
  ingestion_failed_total: 'Attempts at a stage of an item that failed.',
  parked_items_total: 'Items that were parked.',
  extraction_failures_total: 'Attempts at extraction that failed.',
  embedding_failures_total: 'Attempts at embedding that failed.',
  upsert_conflicts_total: 'Items that contradict what is stored.',
};

/** `GET /metrics`: the counters of this process since it opened the vault, in the text format of Prometheus 0.0.4 (S3-51). */
export async function answerMetrics(session: Session, { method }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('Allow', 'GET');
    return sendJson(response, 405, { error: 'Metrics are asked for with GET.' });
  }
  const { output } = await session.run(healthcheck, { input: {} });
  sendText(response, 200, { type: 'text/plain; version=0.0.4; charset=utf-8', text: toPrometheus(output.metrics) });
}

function toPrometheus({ search_latency_ms: latency, ...counters }: Metrics): string {
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
