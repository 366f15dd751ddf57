import * as z from 'zod';
import { describeUtc, readUtc, suggestUtc } from '../../extraction/times/utc.ts';
import { unlisted } from '../arguments.ts';
import { GROUP_ID } from './stored/folders.ts';
import { readTime } from './stored/time.ts';
import { UUID } from './stored/uuid.ts';

/** Input schemas of the knowledge operations; strict, so that an unknown field is an error at any depth (S3-02). */
export const groupId = z.string().regex(GROUP_ID, 'must be 1 to 128 letters, digits, "-" and "_"');

export const uuid = z.string().refine((text) => UUID.test(text), 'must be 1 to 128 letters, digits, "-", "_", "." and ":"');

/** The uuid of a fact or of a note that a person wrote, which may be a path. */
export const anyUuid = z.string().min(1).max(1024);

/** A time in ISO 8601 UTC, or a date, which is its first moment in UTC. */
export const time = z.string().refine((written) => readUtc(written) !== null, { error: ({ input }) => describeUtc(String(input)) });

/** Normalises a time to milliseconds, the form in which all times are compared and stored. */
export function toTime(written: string): string {
  return readUtc(written) ?? written;
}

/** A time as people type it: a year, month, day, or a date with a time of day, in UTC unless it names a zone. */
export const looseTime = z
  .string()
  .refine((written) => readTime(written) !== null, 'must be a date such as 2026-01-05, or a time such as 2026-01-05T10:00:00Z')
  .transform((written) => readTime(written) ?? written);

const map = z.record(z.string(), z.unknown());

const EXAMPLE = {
  nodes: [
    { tmp_ref: 'n', name: 'Nora' },
    { tmp_ref: 'l', name: 'Lyon' },
  ],
  edges: [{ name: 'LIVES_IN', fact: 'Nora lives in Lyon.', source_ref: 'n', target_ref: 'l', valid_at: '2026-03-01T00:00:00Z' }],
};

/** What the caller extracted from an episode (S3-28, S3-30). */
const extraction = z.strictObject({
  nodes: z.array(
    z.strictObject({
      tmp_ref: z.string().optional().describe('Any name for it in edges'),
      uuid: z.string().optional().describe('Of a known entity'),
      name: z.string(),
      summary: z.string().optional(),
      attributes: map.optional(),
    }),
  ),
  edges: z.array(
    z.strictObject({
      name: z.string().describe('Relation, such as LIVES_IN'),
      fact: z.string().describe('One whole sentence'),
      source_ref: z.string().describe('tmp_ref of a node here, or uuid of a known entity'),
      target_ref: z.string(),
      valid_at: time.optional().describe('Since when it holds, where the text says so'),
      invalid_at: time.optional(),
      qualifiers: unlisted(map.optional()),
      negated: z.boolean().optional().describe('It does not hold, or no longer'),
      single: z.boolean().optional().describe('One value at a time: it ends the previous one'),
      corrects: anyUuid.optional().describe('uuid of the wrong fact that it replaces'),
    }),
  ),
});

const suppliedExtraction = extraction.optional().describe(`The facts that you read in the text. Example: ${JSON.stringify(EXAMPLE)}`);

export const roleType = z.enum(['user', 'assistant', 'system']);

export const messages = z.array(
  z.strictObject({
    uuid: uuid.optional(),
    name: unlisted(z.string().optional()),
    role_type: roleType,
    role: z.string().optional(),
    content: z.string(),
    timestamp: time,
    source_description: unlisted(z.string().optional()),
    extraction: suppliedExtraction,
  }),
);

/** One item of AddEpisodes (S3-10). */
export const item = z.strictObject({
  uuid: uuid.optional(),
  name: z.string().optional(),
  source: z.enum(['text', 'json', 'message']),
  body: z.string(),
  reference_time: time,
  source_description: z.string().optional(),
  extraction: suppliedExtraction,
});

export const items = z.array(item);

/** Messages of a query; their other fields are ignored. */
export const queryMessages = z.array(
  z.strictObject({ role_type: roleType, role: z.string().optional(), content: z.string(), timestamp: unlisted(time.optional()) }),
);

/** A year, month, day or time in UTC, as its first moment with milliseconds. */
const pointInTime = z
  .string()
  .refine((written) => readPoint(written) !== null, { error: ({ input }) => describePoint(input) })
  .transform((written) => readPoint(written) ?? written);

function readPoint(written: string): string | null {
  return /^\d{4}(?:-\d\d)?$/.test(written) ? readTime(written) : readUtc(written);
}

/** The valid time, or one for each axis. */
export const asOf = z.union(
  [pointInTime.transform((valid) => ({ valid })), z.strictObject({ valid: pointInTime.optional(), known: pointInTime.optional() })],
  { error: ({ input }) => describePoint(input) },
);

function describePoint(given: unknown): string {
  return `must be a year, month or day such as 2026-01-05, or a time in UTC such as 2026-01-05T10:00:00.000Z${suggestUtc(String(given))}`;
}

/** Facts that can be skipped: beyond that a better query finds what is wanted. */
const MAX_OFFSET = 1_000;

export const search = {
  max_facts: z.int().min(1).default(10),
  offset: z.int().min(0).max(MAX_OFFSET).default(0).describe('Facts to skip, to read on where an answer ended.'),
  center_node_uuid: anyUuid.optional(),
  as_of: asOf.optional(),
  include_expired: z.boolean().default(false),
};

/** The same for queries made of a conversation, which are mostly about now. */
export const memorySearch = {
  ...search,
  offset: unlisted(search.offset),
  center_node_uuid: unlisted(search.center_node_uuid),
  as_of: unlisted(search.as_of),
  include_expired: unlisted(search.include_expired),
};
