import { createHash } from 'node:crypto';
import * as z from 'zod';
import { derivedId } from '../../imports/import-state.ts';
import { toTag } from '../../../note/markdown/tag.ts';
import { shorten } from '../../shorten.ts';

/** The name of a repository, `owner/name`, which is safe in an address. */
export const REPOSITORY = /^[A-Za-z0-9][\w-]{0,99}\/(?!\.{1,2}$)[\w.-]{1,100}$/;
/** An issue of a repository as text: `owner/name#12`. */
const KEY = /^([A-Za-z0-9][\w-]{0,99}\/(?!\.{1,2}#)[\w.-]{1,100})#(\d{1,15})$/;
const repositoryName = z.string().regex(REPOSITORY);

/** An issue as GitHub has it. Its texts come from anyone. */
export const issueInput = z.strictObject({
  /** The node id, which a new number or repository does not change. */
  id: z.string().min(1).max(200),
  repository: repositoryName,
  number: z.int().min(1),
  /** The host of its address, such as `github.com`. */
  host: z.string().regex(/^[\w.-]{1,200}(?::\d{1,5})?$/),
  title: z.string(),
  body: z.string(),
  is_open: z.boolean(),
  is_planned: z.boolean(),
  labels: z.array(z.string()),
  assignees: z.array(z.string()),
  milestone: z.string().nullable(),
  /** The issue of which it is a sub-issue, as `owner/name#12`; undefined if GitHub does not say. */
  parent: z.string().regex(KEY).nullable().optional(),
  blocked_by: z.array(z.strictObject({ issue: z.string().regex(KEY), is_open: z.boolean() })).optional(),
  /** The name that the issue had before it was moved to another repository. */
  previously: z.string().regex(KEY).optional(),
  /** The id of a task that this issue was opened for. */
  task: z.string().min(1).optional(),
});

export type Issue = z.output<typeof issueInput>;

const MAX_TITLE_CHARACTERS = 1_000;
/** GitHub takes 65,536 characters. A longer text stays there. */
const MAX_BODY_CHARACTERS = 262_144;
const MAX_NAME_CHARACTERS = 200;
/** The mark by which a push finds an issue that it has opened already. It is no part of the text. */
const OPENED_MARK = /\n{0,2}<!-- roux:opened:[0-9a-f]{24} -->\s{0,10}$/;

/** Returns `owner/name#12`. */
export function keyOf({ repository, number }: Pick<Issue, 'repository' | 'number'>): string {
  return `${repository}#${number}`;
}

/** Returns the repository of `owner/name#12`; null for any other text. */
export function repositoryOf(key: string): string | null {
  return KEY.exec(key)?.[1] ?? null;
}

export function addressOf({ host, repository, number }: Pick<Issue, 'host' | 'repository' | 'number'>): string {
  return `https://${host}/${repository}/issues/${number}`;
}

/** Returns the id of the task of an issue: the same one on every branch and machine. */
export function taskIdOf({ id }: Pick<Issue, 'id'>): string {
  return derivedId('t', id);
}

/** Returns a title, name or label as one line of text, in its own direction, that is not read as a link in a property. */
export function toLine(text: string, maxCharacters = MAX_NAME_CHARACTERS): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return shorten(line, maxCharacters).replaceAll('[[', '[ [').replaceAll('](', '] (');
}

export function toTitle({ title, number }: Pick<Issue, 'title' | 'number'>): string {
  const line = toLine(title, MAX_TITLE_CHARACTERS);
  return line === '' ? `Issue #${number}` : line;
}

/** Returns the text of an issue with LF line ends, without control characters and a mark of ours at its end; null if it is too long. */
export function toBody(body: string): string | null {
  if (body.length > MAX_BODY_CHARACTERS) return null;
  return body
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '\ufffd')
    .replace(OPENED_MARK, '')
    .trimEnd();
}

/** Returns the tags for labels: without the characters that a tag cannot hold, and without those that have no other. */
export function toTags(labels: readonly string[]): readonly string[] {
  return [...new Set(labels.flatMap((label) => toTag(toLine(label), 'label') ?? []))];
}

/** Returns a short hash of a text, by which a later sync sees whether it was changed. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
