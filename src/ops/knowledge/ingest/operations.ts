import * as z from 'zod';
import { leastOrigin } from '../../../note/origin.ts';
import type { Origin } from '../../../note/origin.ts';
import { originInput, originOfCaller, originToWrite } from '../../call/origin.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { anyUuid, groupId, items, messages, toTime, request } from '../inputs.ts';
import type { item } from '../inputs.ts';
import type { GivenEpisode } from '../accept/acceptance.ts';
import { ingest } from './ingest.ts';
import { readReceipt, retryParked } from './receipts.ts';

const receiptId = z.string().min(1).max(128).optional().describe('Of an accepted call; required without group_id');

export const addMessages = defineOperation({
  name: 'kg_add_messages',
  toolset: 'knowledge',
  title: 'Add messages',
  summary:
    'Ingest messages of a conversation, with the facts you read in them as extraction; else lines like "A -[REL]-> B: fact" are read.',
  effect: 'write',
  envelope: 'ACCEPTED',
  isIdempotent: true,
  input: request({ group_id: groupId, messages: messages.describe('In the order in which they were said'), origin: originInput }),
  async run(context, { input }) {
    const origin = toWritten(context, input.origin);
    const episodes = input.messages.map((message): GivenEpisode => ({
      uuid: message.uuid,
      name: message.name,
      source: 'message' as const,
      body: `${message.role ?? ''}(${message.role_type}): ${message.content}`,
      referenceTime: toTime(message.timestamp),
      sourceDescription: message.source_description,
      extraction: message.extraction,
      // A program said it, so the facts of it are no more trusted.
      ...(message.role_type === 'system' ? { origin: leastOrigin('tool', origin.origin ?? 'tool') } : origin),
    }));
    const given = { groupId: input.group_id, items: episodes, operation: 'kg_add_messages', input };
    const { receipt, accepted, report } = await ingest(context, given);
    return { message: 'Messages accepted for ingestion.', accepted, receipt_id: receipt, ...report };
  },
});

export const addEpisodes = defineOperation({
  name: 'kg_add_episodes',
  toolset: 'knowledge',
  title: 'Add episodes',
  summary: 'Ingest texts or JSON, with the facts you read in them as extraction; else lines like "A -[REL]-> B: fact" are read.',
  effect: 'write',
  envelope: 'ACCEPTED',
  isIdempotent: true,
  input: request({ group_id: groupId, items: items.describe('Texts; each is one episode'), origin: originInput }),
  async run(context, { input }) {
    const origin = toWritten(context, input.origin);
    const episodes = input.items.map((each) => ({ ...toGiven(each), ...origin }));
    const given = { groupId: input.group_id, items: episodes, operation: 'kg_add_episodes', input };
    const { receipt, accepted, report } = await ingest(context, given);
    return { receipt_id: receipt, accepted, ...report };
  },
});

/** Returns the origin of the items of a call, if it is less than the caller. */
function toWritten(context: OperationContext, given: Origin | undefined): Pick<GivenEpisode, 'origin'> {
  const origin = originToWrite(context, given, originOfCaller(context));
  return origin === null ? {} : { origin };
}

export function toGiven({ reference_time: time, source_description: sourceDescription, ...given }: z.output<typeof item>): GivenEpisode {
  return { ...given, referenceTime: toTime(time), sourceDescription };
}

export const getReceipt = defineOperation({
  name: 'kg_get_receipt',
  toolset: 'knowledge',
  title: 'State of ingestion',
  summary: 'What came of the items of a receipt; with group_id alone, what of it is not completed.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: request({ receipt_id: receiptId, group_id: groupId.optional() }),
  run: (context, { input }) => readReceipt(context, { receipt: input.receipt_id, groupId: input.group_id }),
});

export const retryParkedTool = defineOperation({
  name: 'kg_retry_parked',
  toolset: 'knowledge',
  title: 'Retry parked items',
  summary: 'Try parked items of a group or receipt again.',
  effect: 'write',
  envelope: 'OK',
  isIdempotent: true,
  input: request({
    group_id: groupId.optional(),
    receipt_id: receiptId,
    uuids: z.array(anyUuid).max(1000).optional().describe('Only these episodes'),
  }),
  async run(context, { input }) {
    const retried = await retryParked(context, { receipt: input.receipt_id, groupId: input.group_id, uuids: input.uuids });
    return { message: `${retried} items are tried again.`, retried };
  },
});
