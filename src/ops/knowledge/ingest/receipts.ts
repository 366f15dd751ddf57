import { RouxError } from '../../../errors.ts';
import type { NoteChange } from '../../../note/change.ts';
import { compareText } from '../../../note/text.ts';
import { currentTime, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { reportIngestion } from '../ingestion-report.ts';
import type { IngestionReport } from '../ingestion-report.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { StoredEpisode } from '../stored/shapes.ts';
import { isForeign, markOf } from './mark.ts';
import { digestOf } from '../stored/episode-note.ts';
import { entitiesFolder } from '../stored/folders.ts';
import { changeIngest, TRANSIENT_KEYS } from './outcome.ts';
import { pipelineOf } from './pipeline.ts';

/** The ingestion state of an item (S3-20). */
export interface ItemState {
  readonly uuid: string;
  readonly state: string;
  readonly attempts: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly retry_at?: string;
  /** It was not accepted by this user's roux, so it waits for `kg_retry_parked`. */
  readonly foreign?: true;
}

export interface Receipt extends IngestionReport {
  readonly receipt_id?: string;
  readonly group_id?: string;
  readonly items: readonly ItemState[];
  /** Number of items in each state, including items not listed. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Items in one answer. */
const MAX_ITEMS = 200;

/** Returns the items of a receipt, or those of a group that are not completed. */
export async function readReceipt(
  { vault }: OperationContext,
  query: { readonly receipt?: string | undefined; readonly groupId?: string | undefined },
): Promise<Receipt> {
  await vault.refresh('changed');
  const index = knowledgeOf(vault);
  index.refresh();
  const episodes = select(index, query);
  const counts = new Map<string, number>();
  for (const { ingest } of episodes) counts.set(ingest!.state, (counts.get(ingest!.state) ?? 0) + 1);
  return {
    ...(query.receipt === undefined ? {} : { receipt_id: query.receipt }),
    ...(query.groupId === undefined ? {} : { group_id: query.groupId }),
    items: episodes.slice(0, MAX_ITEMS).map((episode) => toState(vault, episode)),
    counts: Object.fromEntries([...counts].sort(([a], [b]) => compareText(a, b))),
    ...(query.receipt === undefined
      ? {}
      : reportIngestion(
          vault,
          episodes.map(({ path }) => path),
        )),
  };
}

function select(
  index: KnowledgeIndex,
  { receipt, groupId }: { readonly receipt?: string | undefined; readonly groupId?: string | undefined },
): readonly StoredEpisode[] {
  if (receipt === undefined && groupId === undefined)
    throw new RouxError('INVALID_ARGUMENT', 'Pass a receipt_id, or a group_id to list the items of that group that are not completed.');
  const found =
    receipt === undefined
      ? (index.group(groupId ?? '')?.episodes() ?? []).filter(({ ingest }) => ingest !== null && ingest.state !== 'completed')
      : index.byReceipt(receipt).filter((episode) => index.isServed(episode) && (groupId === undefined || episode.groupId === groupId));
  if (receipt !== undefined && found.length === 0)
    throw new RouxError('NOT_FOUND', `There is no receipt ${JSON.stringify(receipt.slice(0, 128))}, or its episodes were deleted.`, {
      receipt_id: receipt.slice(0, 128),
    });
  return [...found].sort((a, b) => compareText(a.createdAt, b.createdAt) || compareText(a.uuid, b.uuid));
}

function toState({ ports }: Pick<OperationContext['vault'], 'ports'>, episode: StoredEpisode): ItemState {
  const { uuid, ingest } = episode;
  const { state, attempts, error, retryAt } = ingest!;
  return {
    uuid,
    state,
    attempts,
    ...(error === null ? {} : { error }),
    ...(retryAt === null ? {} : { retry_at: retryAt }),
    ...(isForeign(ports, episode) ? { foreign: true } : {}),
  };
}

/** Queues parked items and items accepted elsewhere; returns their number (S3-20). */
export async function retryParked(
  context: OperationContext,
  query: { readonly receipt?: string | undefined; readonly groupId?: string | undefined; readonly uuids?: readonly string[] | undefined },
): Promise<number> {
  const { vault } = context;
  const index = knowledgeOf(vault);
  const { result: paths } = await vault.writes.write(writeMeta(context, 'kg_retry_parked'), () => {
    index.refresh();
    const at = currentTime(context);
    const wanted = select(index, query).filter(({ uuid }) => query.uuids?.includes(uuid) ?? true);
    const paths: string[] = [];
    const files = wanted.flatMap((episode) => {
      const { uuid, groupId, ingest } = episode;
      if (ingest!.state !== 'parked' && !isForeign(vault.ports, episode)) return [];
      const content = index.contentOf(episode);
      if (content === null) return [];
      paths.push(episode.path);
      const isExtracted = content.extraction !== undefined;
      return [
        changeIngest(episode.path, at, [
          { op: 'set', key: ['ingest', 'state'], value: isExtracted ? 'extracted' : 'accepted' },
          { op: 'set', key: ['ingest', 'mark'], value: markOf(vault.ports, { uuid, groupId, digest: digestOf(episode, content) }) },
          ...TRANSIENT_KEYS.map((key): NoteChange => ({
            op: 'unset',
            key: ['ingest', key],
          })),
        ]),
      ];
    });
    const groups = new Set(wanted.map(({ groupId }) => groupId));
    return { files, alsoChanges: [...groups].map((group) => entitiesFolder(index, group)), result: paths };
  });
  pipelineOf(vault).enqueue(paths);
  return paths.length;
}
