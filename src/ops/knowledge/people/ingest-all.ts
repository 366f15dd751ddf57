import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { describeIssue } from '../../arguments.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { acceptEpisodes } from '../accept/accept.ts';
import type { GivenEpisode } from '../accept/acceptance.ts';
import { checkItem } from '../ingest/ingest.ts';
import { isForeign } from '../ingest/mark.ts';
import { toGiven } from '../ingest/operations.ts';
import { pipelineOf } from '../ingest/pipeline.ts';
import type { Pipeline } from '../ingest/pipeline.ts';
import { retryParked } from '../ingest/receipts.ts';
import { groupId, item, looseTime, checkRequest } from '../inputs.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import { chooseGroupToFill } from './choose-group.ts';

/** The result of an ingestion. */
export interface Ingested {
  readonly group_id: string;
  /** Receipts of the calls that were made. */
  readonly receipts: readonly string[];
  readonly items: number;
  /** Number of notes; a repeated item is one episode. */
  readonly episodes: number;
  readonly completed: number;
  /** Items that could not be processed. */
  readonly parked: readonly { readonly uuid: string; readonly path: string; readonly code: string; readonly message: string }[];
}

const POLL_INTERVAL_MS = 1_000;
const MAX_BLOCKED_MS = 30_000;

/** Ingests any number of episodes and waits for the result, showing progress (S3-23). */
export const ingestAll = defineOperation({
  name: 'ingest_all',
  toolset: null,
  title: 'Ingest',
  summary: 'Brings any number of episodes into a group and waits until each is completed or parked.',
  effect: 'write',
  isIdempotent: true,
  input: z.object({
    group_id: groupId.optional(),
    /** For items without one. */
    reference_time: looseTime.optional(),
    /** In the format of AddEpisodes. */
    items: z.array(z.unknown()).min(1),
  }),
  async run(context, { group_id: named, reference_time: saidAt, items: raw }): Promise<Ingested> {
    const { vault } = context;
    const given = readItems(raw).map(({ reference_time: time = saidAt, ...rest }, at): GivenEpisode => {
      if (time === undefined) throw new RouxError('INVALID_PARAMS', `items[${at}].reference_time is missing; say when it was said.`);
      return toGiven({ ...rest, reference_time: time });
    });
    // Checks all items before the first is stored.
    for (const [at, each] of given.entries()) checkItem(context, each, at);
    const parts = splitIntoCalls(context, given);
    const index = knowledgeOf(vault);
    index.refresh();
    const group = chooseGroupToFill(index, named);
    const pipeline = pipelineOf(vault);
    const paths = new Set<string>();
    const receipts: string[] = [];
    for (const part of parts) {
      const accepted = await acceptPart(context, pipeline, { group, part, paths: () => [...paths] });
      for (const path of accepted.paths) paths.add(path);
      receipts.push(accepted.receipt);
      context.progress(0, given.length, 'ingestion');
    }
    await retryUnfinished(context, group, paths);
    await waitUntilSettled(context, pipeline, [...paths]);
    return { group_id: group, receipts, items: given.length, episodes: paths.size, ...outcomes(context, paths) };
  },
});

/** Validation issues that an error lists. */
const MAX_ISSUES = 5;

const itemList = z.object({ items: z.array(item.partial({ reference_time: true })) });

/** Parses the items as strictly as AddEpisodes: an unknown field would be lost (S3-02). */
function readItems(raw: readonly unknown[]): z.output<typeof itemList>['items'] {
  const read = itemList.safeParse({ items: raw });
  if (read.success) return read.data.items;
  const issues = read.error.issues.slice(0, MAX_ISSUES).map((issue) => describeIssue(issue, { items: raw }));
  throw new RouxError('INVALID_PARAMS', `${issues.join('; ')}.`, { issues });
}

/** Splits items into calls within the limits. Throws `LIMIT_EXCEEDED` for an item that exceeds them alone. */
function splitIntoCalls({ config }: OperationContext, given: readonly GivenEpisode[]): readonly (readonly GivenEpisode[])[] {
  const { maxBytes, maxItems } = config.knowledge;
  const parts: GivenEpisode[][] = [];
  let bytes = Infinity;
  for (const each of given) {
    checkRequest(each, 1, config);
    const size = Buffer.byteLength(JSON.stringify(each)) + 1;
    const last = parts.at(-1);
    if (last === undefined || last.length === maxItems || bytes + size > maxBytes) {
      parts.push([each]);
      bytes = size;
    } else {
      last.push(each);
      bytes += size;
    }
  }
  return parts;
}

/** Accepts a part, waiting for space if the queue is full. */
async function acceptPart(
  context: OperationContext,
  pipeline: Pipeline,
  { group, part, paths }: { readonly group: string; readonly part: readonly GivenEpisode[]; readonly paths: () => readonly string[] },
): ReturnType<typeof acceptEpisodes> {
  for (;;) {
    try {
      const accepted = await acceptEpisodes(context, { groupId: group, items: part, operation: 'ingest' });
      pipeline.enqueue(accepted.paths);
      return accepted;
    } catch (error) {
      const isFull = error instanceof RouxError && error.code === 'LIMIT_EXCEEDED' && error.retryable;
      if (!isFull || paths().length === 0) throw error;
      await waitUntilSettled(context, pipeline, paths());
    }
  }
}

/** Retries items that were parked before or accepted elsewhere: whoever ingests them again wants that. */
async function retryUnfinished(context: OperationContext, group: string, paths: ReadonlySet<string>): Promise<void> {
  const index = knowledgeOf(context.vault);
  index.refresh();
  const left = [...paths].flatMap((path) => {
    const stored = index.at(path);
    const isLeft = stored?.kind === 'episode' && (stored.ingest?.state === 'parked' || isForeign(context.vault.ports, stored));
    return isLeft ? [stored.uuid] : [];
  });
  if (left.length > 0) await retryParked(context, { groupId: group, uuids: left });
}

async function waitUntilSettled(context: OperationContext, pipeline: Pipeline, paths: readonly string[]): Promise<void> {
  let blockedMs = 0;
  const onProgress = (done: number): void => context.progress(done, paths.length, 'ingestion');
  while (!(await pipeline.waitUntilSettled(paths, { withinMs: POLL_INTERVAL_MS, onProgress }))) {
    if (context.signal.aborted)
      throw new RouxError('CANCELLED', 'Stopped waiting; the accepted items are saved, and the next server processes them.');
    blockedMs = pipeline.problem === null ? 0 : blockedMs + POLL_INTERVAL_MS;
    if (pipeline.problem !== null && blockedMs >= MAX_BLOCKED_MS)
      throw new RouxError(
        'IO_ERROR',
        `Ingestion is waiting: ${pipeline.problem} The items are saved and are processed once this is fixed.`,
        {},
        { retryable: true },
      );
  }
}

function outcomes({ vault }: OperationContext, paths: ReadonlySet<string>): Pick<Ingested, 'completed' | 'parked'> {
  const index = knowledgeOf(vault);
  index.refresh();
  const stored = [...paths].flatMap((path) => index.at(path) ?? []).filter((each) => each.kind === 'episode');
  return {
    completed: stored.filter(({ ingest }) => ingest?.state === 'completed').length,
    parked: stored
      .filter(({ ingest }) => ingest?.state === 'parked')
      .map(({ uuid, path, ingest }) => ({ uuid, path, code: ingest?.error?.code ?? '', message: ingest?.error?.message ?? '' })),
  };
}
