import { RouxError } from '../../../errors.ts';
import { isBlankText } from '../../../extraction/names.ts';
import type { OperationContext } from '../../operation.ts';
import { checkRequest, checkText } from '../inputs.ts';
import { reportIngestion } from '../ingestion-report.ts';
import type { IngestionReport } from '../ingestion-report.ts';
import { acceptEpisodes } from '../accept/accept.ts';
import type { Accepted, GivenEpisode } from '../accept/acceptance.ts';
import { pipelineOf } from './pipeline.ts';

/** A call waits this long for its items, so that the next call finds their facts. */
const MAX_WAIT_MS = 200;

/** Accepts episodes, waits briefly for their ingestion, and says what came of it (S3-09, S3-10, S3-34, K-02). */
export async function ingest(
  context: OperationContext,
  given: { readonly groupId: string; readonly items: readonly GivenEpisode[]; readonly operation: string; readonly input: unknown },
): Promise<Pick<Accepted, 'receipt' | 'accepted'> & { readonly report: IngestionReport }> {
  const { vault, config } = context;
  checkRequest(given.input, given.items.length, config);
  for (const [at, item] of given.items.entries()) checkItem(context, item, at);
  const accepted = await acceptEpisodes(context, { ...given, refusesInvalid: true });
  if (context.writeOptions.dryRun === true) return { ...accepted, report: {} };
  const pipeline = pipelineOf(vault);
  pipeline.enqueue(accepted.paths);
  const { length } = accepted.paths;
  await pipeline.waitUntilSettled(accepted.paths, {
    withinMs: MAX_WAIT_MS,
    onProgress: (done) => context.progress(done, length, 'ingestion'),
  });
  return { ...accepted, report: reportIngestion(vault, accepted.fresh) };
}

/** Validates an item; `at` is its index in the call, for error messages. */
export function checkItem(
  { config }: Pick<OperationContext, 'config'>,
  { name, source, body, sourceDescription }: GivenEpisode,
  at: number,
): void {
  const { limits } = config.knowledge;
  checkText(`items[${at}].name`, name, limits.name);
  checkText(`items[${at}].source_description`, sourceDescription, limits.summary);
  if (isBlankText(body)) throw new RouxError('INVALID_ARGUMENT', `items[${at}].body is blank.`, { field: `items[${at}].body` });
  if (name !== undefined && isBlankText(name))
    throw new RouxError('INVALID_ARGUMENT', `items[${at}].name is blank; leave it out or give a name.`, { field: `items[${at}].name` });
  if (source !== 'json') return;
  try {
    JSON.parse(body);
  } catch {
    throw new RouxError('INVALID_ARGUMENT', `items[${at}].body is not valid JSON, but its source is "json".`, {
      field: `items[${at}].body`,
    });
  }
}
