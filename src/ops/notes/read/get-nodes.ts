import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { Properties } from '../../../note/note.ts';
import type { Origin } from '../../../note/origin.ts';
import { isShownAsField, isTaskNote, showFrontmatter } from '../../node-properties.ts';
import { showLowOrigin } from '../../call/origin.ts';
import { showStale } from '../../freshness/show.ts';
import { warnOfMissingNotes } from '../../names/near-names.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { readNote } from '../../reference.ts';
import { sliceText, takeWhileFits } from '../../shorten.ts';
import { bodyOf, etagOf, toReadRecord } from '../../view.ts';
import { describeAttachment, findAttachment, splitPage } from '../files/attachment.ts';
import type { AttachmentResponse } from '../files/attachment.ts';

/** Characters of an answer: maximum, default and minimum. */
const MAX_ANSWER_CHARACTERS = 36_000;
const DEFAULT_ANSWER_CHARACTERS = 20_000;
const MIN_ANSWER_CHARACTERS = 1_000;
/** Maximum characters of a note's properties in an answer; longer ones are only named. */
const MAX_PROPERTIES_CHARACTERS = 2_000;
const MAX_WARNINGS_CHARACTERS = 1_000;
const MAX_IDS = 100;
/** Maximum characters of a canvas or a base among notes. */
const MAX_FILE_CHARACTERS = 400;

/** A note in an answer of many, without the fields that repeat its content. */
export interface ReadNode {
  readonly id: string;
  readonly title: string;
  readonly path?: string;
  readonly type?: string;
  readonly tags?: readonly string[];
  readonly aliases?: readonly string[];
  readonly properties?: Properties;
  readonly properties_omitted?: readonly string[];
  readonly _origin?: Origin;
  readonly _stale?: string;
  readonly etag: string;
  readonly content: string;
  /** The offset for continuing with get_node. */
  readonly next_offset?: number;
  readonly _warnings?: readonly string[];
}

/** A reference that is ambiguous. */
export interface NotRead {
  readonly id: string;
  readonly error: { readonly code: string; readonly message: string };
}

/** Returns many notes in one bounded answer (E-12). */
export const getNodes = defineOperation({
  name: 'get_nodes',
  toolset: 'vault',
  title: 'Read notes',
  summary: 'Read many notes, whole, in the order asked, as long as they fit; left: ids to ask for next.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    ids: z.array(z.string()).min(1).max(MAX_IDS).describe('Ids, paths, titles or aliases'),
    max_characters: z
      .int()
      .min(MIN_ANSWER_CHARACTERS)
      .max(MAX_ANSWER_CHARACTERS)
      .default(DEFAULT_ANSWER_CHARACTERS)
      .describe('Of the answer; what does not fit is in left'),
  }),
  early: ({ ids }) => ({ notes: ids }),
  async run(context, { ids, max_characters: maxCharacters }) {
    const nodes: (ReadNode | NotRead | AttachmentResponse | null)[] = [];
    let room = maxCharacters;
    for (const [index, id] of ids.entries()) {
      const answer = await readWithin(context, id, { room, isFirst: nodes.every((node) => node === null) });
      if (answer === 'full') return answerWith(ids.slice(index));
      nodes.push(answer);
      room -= JSON.stringify(answer).length + 1;
    }
    return answerWith([]);

    function answerWith(left: readonly string[]) {
      warnOfMissingNotes(
        context,
        ids.filter((_, index) => nodes[index] === null),
      );
      return { nodes, left };
    }
  },
});

/** Reads a note if it fits, else returns `full`. The first one is truncated instead, since it may not fit into any answer. */
async function readWithin(
  context: OperationContext,
  id: string,
  { room, isFirst }: { readonly room: number; readonly isFirst: boolean },
): Promise<ReadNode | NotRead | AttachmentResponse | null | 'full'> {
  try {
    const found = await readNote(context, id);
    if (found === null) {
      const { file: name, page } = splitPage(id);
      const path = findAttachment(context, name);
      const file = path === null ? null : await describeAttachment(context, path, { characters: MAX_FILE_CHARACTERS, page });
      return isFirst || JSON.stringify(file).length < room ? file : 'full';
    }
    const { entry, onDisk } = found;
    const record = toReadRecord(onDisk);
    const body = bodyOf(onDisk);
    const frame = describe(context, found);
    const space = room - JSON.stringify(frame).length - 'content'.length;
    const isWhole = JSON.stringify(body).length <= space;
    if (!isWhole && !isFirst) return 'full';
    const { text, nextOffset } = isWhole ? { text: body, nextOffset: null } : truncateBody(body, space - '"next_offset":0000000'.length);
    context.readLog?.add(entry.path, record, [0, nextOffset ?? body.length]);
    const warnings = context.takeWarnings(entry, MAX_WARNINGS_CHARACTERS);
    return {
      ...frame,
      content: text,
      ...(nextOffset === null ? {} : { next_offset: nextOffset }),
      ...(warnings.length === 0 ? {} : { _warnings: warnings }),
    };
  } catch (error) {
    if (!(error instanceof RouxError) || error.code !== 'AMBIGUOUS') throw error;
    const answer: NotRead = { id, error: { code: error.code, message: error.message } };
    return JSON.stringify(answer).length <= room || isFirst ? answer : 'full';
  }
}

function describe(
  context: OperationContext,
  { entry, onDisk }: NonNullable<Awaited<ReturnType<typeof readNote>>>,
): Omit<ReadNode, 'content'> {
  const { id, title, path, type, tags, aliases } = entry;
  const { properties } = showFrontmatter(entry.properties, isTaskNote(context, entry));
  const names = Object.keys(properties);
  const isShort = JSON.stringify(properties).length <= MAX_PROPERTIES_CHARACTERS;
  return {
    id,
    title,
    ...(path === id ? {} : { path }),
    ...(type === null ? {} : { type }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(aliases.length > 0 && isShownAsField(entry.properties, 'aliases') ? { aliases } : {}),
    ...(names.length > 0 && isShort ? { properties } : {}),
    ...(isShort ? {} : { properties_omitted: takeWhileFits(names, MAX_PROPERTIES_CHARACTERS) }),
    ...showLowOrigin(entry),
    ...showStale(context.vault, entry),
    etag: etagOf(onDisk.hash),
  };
}

/** Truncates a body to a number of characters as JSON. */
function truncateBody(body: string, characters: number): ReturnType<typeof sliceText> {
  let limit = Math.max(MIN_ANSWER_CHARACTERS / 2, characters);
  let excerpt = sliceText(body, { limit, offset: 0 });
  while (JSON.stringify(excerpt.text).length > characters && limit > MIN_ANSWER_CHARACTERS / 2) {
    limit = Math.floor(limit * 0.9);
    excerpt = sliceText(body, { limit, offset: 0 });
  }
  return excerpt;
}
