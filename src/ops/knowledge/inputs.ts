import * as z from 'zod';
import { describeUtc, readUtc, suggestUtc, readTime } from '../../extraction/times/utc.ts';
import { GROUP_ID } from './stored/folders.ts';
import { RouxError } from '../../errors.ts';
import type { Config } from '../../config.ts';

/** Valid uuids of entities and episodes, which become ids of notes. */
const UUID = /^[A-Za-z0-9][\w.:-]{0,127}$/;

/** Input schemas of the knowledge operations; strict, so that an unknown field is an error at any depth (S3-02). */
export const groupId = z
  .string()
  .regex(GROUP_ID, 'must be 1 to 128 letters, digits, "-" and "_"')
  .describe('Group: facts of one person, team or project, such as work');

export const uuid = z.string().refine((text) => UUID.test(text), 'must be 1 to 128 letters, digits, "-", "_", "." and ":"');

/** The uuid of a fact or of a note that a person wrote, which may be a path. */
export const anyUuid = z.string().min(1).max(1024);

/** The arguments of a knowledge tool, which stand in one object (S3-01). */
export function request<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<{ input: z.ZodObject<Shape, z.core.$strict> }> {
  return z.object({ input: z.strictObject(shape).describe('The request') });
}

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
  nodes: z
    .array(
      z.strictObject({
        tmp_ref: z.string().optional().describe('Any name for it in edges'),
        uuid: z.string().optional().describe('Of a known entity'),
        name: z.string().describe('As people call it'),
        summary: z.string().optional().describe('What it is, in a sentence'),
        attributes: map.optional().describe('Your own keys'),
      }),
    )
    .describe('Entities'),
  edges: z
    .array(
      z.strictObject({
        name: z.string().describe('Relation, such as LIVES_IN'),
        fact: z.string().describe('One whole sentence'),
        source_ref: z.string().describe('tmp_ref of a node here, or uuid of a known entity'),
        target_ref: z.string().describe('Likewise'),
        valid_at: time.optional().describe('Since when it holds, where the text says so'),
        invalid_at: time.optional().describe('When it ceased to hold'),
        qualifiers: map.optional().describe('What tells it from another value at the same time: {"role": "chair"}'),
        negated: z.boolean().optional().describe('It does not hold, or no longer'),
        single: z.boolean().optional().describe('One value at a time: it ends the previous one'),
        corrects: anyUuid.optional().describe('uuid of the wrong fact that it replaces'),
      }),
    )
    .describe('Facts'),
});

const suppliedExtraction = extraction.optional().describe(`The facts that you read in the text. Example: ${JSON.stringify(EXAMPLE)}`);

export const roleType = z.enum(['user', 'assistant', 'system']);

export const messages = z.array(
  z.strictObject({
    uuid: uuid.optional().describe('Yours; the same one again is accepted once'),
    name: z.string().optional().describe('Title of its episode'),
    role_type: roleType.describe('Kind of speaker'),
    role: z.string().optional().describe('Name of the speaker, such as Nora'),
    content: z.string().describe('What was said, word for word'),
    timestamp: time.describe('When it was said: 2026-03-01, or with a time in UTC'),
    source_description: z.string().optional().describe('Where it was said, such as chat'),
    extraction: suppliedExtraction,
  }),
);

/** One item of AddEpisodes (S3-10). */
export const item = z.strictObject({
  uuid: uuid.optional().describe('Yours; the same one again is accepted once'),
  name: z.string().optional().describe('Title'),
  source: z.enum(['text', 'json', 'message']).describe('Kind of body; message: lines "Nora: …"'),
  body: z.string().describe('The text itself, up to 1 MiB'),
  reference_time: time.describe('When it was written or said: 2026-03-01, or with a time in UTC'),
  source_description: z.string().optional().describe('Where it is from, such as mail'),
  extraction: suppliedExtraction,
});

export const items = z.array(item);

/** Messages of a query; their other fields are ignored. */
export const queryMessages = z.array(
  z.strictObject({
    role_type: roleType.describe('Kind of speaker'),
    role: z.string().optional().describe('Name of the speaker'),
    content: z.string().describe('What was said; the last message counts most'),
    timestamp: time.optional().describe('When it was said'),
  }),
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
  [
    pointInTime.transform((valid) => ({ valid })),
    z.strictObject({
      valid: pointInTime.optional().describe('What held then'),
      known: pointInTime.optional().describe('What was recorded by then'),
    }),
  ],
  { error: ({ input }) => describePoint(input) },
);

function describePoint(given: unknown): string {
  return `must be a year, month or day such as 2026-01-05, or a time in UTC such as 2026-01-05T10:00:00.000Z${suggestUtc(String(given))}`;
}

/** Facts that can be skipped: beyond that a better query finds what is wanted. */
const MAX_OFFSET = 1_000;

export const search = {
  max_facts: z.int().min(1).default(10).describe('Facts, at most 100'),
  offset: z.int().min(0).max(MAX_OFFSET).default(0).describe('Facts to skip, to read on where an answer ended.'),
  center_node_uuid: anyUuid.optional().describe('Entity whose neighbourhood is ranked higher'),
  as_of: asOf.optional().describe('What held then: 2026, 2026-03, 2026-03-01 or a time'),
  include_expired: z.boolean().default(false).describe('true: also facts that have been replaced or deleted'),
};

/** Throws `INVALID_ARGUMENT` if a text is not a valid uuid. */
export function checkUuid(uuid: string): void {
  if (UUID.test(uuid)) return;
  throw new RouxError(
    'INVALID_ARGUMENT',
    `${JSON.stringify(uuid.slice(0, 60))} is not a valid uuid: use letters, digits, "-", "_", "." and ":", at most 128 characters.`,
    {
      uuid: uuid.slice(0, 200),
    },
  );
}

/** Refuses a request that exceeds a limit; nothing is truncated (S3-49). */
export function checkRequest(input: unknown, items: number, { knowledge }: Config): void {
  if (items > knowledge.maxItems) throw tooLarge('items', items, knowledge.maxItems, 'send them in several calls');
  if (items === 0) throw new RouxError('INVALID_ARGUMENT', 'The request has no items; send at least one.');
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > knowledge.maxBytes) throw tooLarge('bytes', bytes, knowledge.maxBytes, 'send less in one call');
}

/** Refuses a text that exceeds `limit` characters. */
export function checkText(field: string, text: string | undefined, limit: number): void {
  if (text !== undefined && text.length > limit)
    throw new RouxError('LIMIT_EXCEEDED', `${field} has ${text.length} characters; the limit is ${limit}. Nothing was saved; shorten it.`, {
      field,
      limit,
    });
}

function tooLarge(what: string, given: number, limit: number, remedy: string): RouxError {
  return new RouxError('LIMIT_EXCEEDED', `The request has ${given} ${what}; the limit is ${limit}. Please ${remedy}.`, {
    [what]: given,
    limit,
  });
}
