import { createHash } from 'node:crypto';
import { composeNote } from '../../../note/compose.ts';
import { isPropertyMap } from '../../../note/frontmatter/property-value.ts';
import type { PropertyMap } from '../../../note/frontmatter/property-value.ts';
import type { Note, PropertyValue } from '../../../note/note.ts';
import { LazyStatements } from './cached/lazy-statements.ts';
import { INGEST_STATES, isSettled } from './shapes.ts';
import type { EpisodeContent, EpisodeSource, Ingest, IngestState, StoredEpisode } from './shapes.ts';
import type { Place } from './entity-note.ts';
import { DELETED_STATEMENTS, readStatements, STATEMENT_INFO } from './statements.ts';
import { readTime } from '../../../extraction/times/utc.ts';

/** Reads an episode from its note, without its text. */
export function readEpisodeNote(note: Note, { groupId, modifiedMs }: Place): StoredEpisode {
  const { data } = note.frontmatter;
  const text = (key: string): string | null => (typeof data[key] === 'string' && data[key] !== '' ? data[key] : null);
  const modified = new Date(modifiedMs).toISOString();
  const createdAt = readTime(text('created_at') ?? '') ?? modified;
  const source = text('source');
  const ingest = isPropertyMap(data['ingest']) ? readIngest(data['ingest']) : null;
  const episode: Omit<StoredEpisode, 'digest' | 'statements' | 'statementUuids'> = {
    deleted: wordsOf(data[DELETED_STATEMENTS]),
    statementInfo: isPropertyMap(data[STATEMENT_INFO]) ? data[STATEMENT_INFO] : null,
    kind: 'episode',
    path: note.path,
    uuid: text('uuid') ?? note.id ?? note.path,
    groupId: text('group_id') ?? groupId,
    name: text('title'),
    source: source === 'json' || source === 'message' ? source : 'text',
    sourceDescription: text('source_description'),
    referenceTime: readTime(text('reference_time') ?? '') ?? createdAt,
    createdAt,
    createdBy: text('created_by') ?? 'external',
    ingest,
  };
  const isWaiting = ingest !== null && !isSettled(ingest);
  const isCompleted = ingest?.state === 'completed';
  const content = isWaiting || isCompleted ? readEpisodeContent(bodyOf(note)) : null;
  const statements = isCompleted && content !== null ? readStatements(episode, content) : [];
  return Object.assign(new LazyStatements(() => statements), {
    ...episode,
    digest: isWaiting && content !== null ? digestOf(episode, content) : null,
    statementUuids: statements.map((statement) => statement.uuid),
  });
}

/** Computes the digest of an item's content; with other content it is another item. */
export function digestOf(
  { source, referenceTime, name, sourceDescription }: Pick<StoredEpisode, 'source' | 'referenceTime' | 'name' | 'sourceDescription'>,
  { body, extraction }: EpisodeContent,
): string {
  // Invalid Unicode is replaced as it is in a file.
  const texts = [name ?? '', sourceDescription ?? '', body].map((text) => Buffer.from(text).toString());
  const all = [source, referenceTime, ...texts, extraction ?? null];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

function readIngest(map: PropertyMap): Ingest | null {
  const text = (key: string): string | null => (typeof map[key] === 'string' ? map[key] : null);
  const state = INGEST_STATES.find((known) => known === map['state']);
  if (state === undefined) return null;
  const attempts = map['attempts'];
  return {
    state,
    hash: text('hash') ?? '',
    attempts: typeof attempts === 'number' ? attempts : 0,
    receipts: wordsOf(map['receipts']),
    retryAt: readTime(text('retry_at') ?? ''),
    error: map['error_code'] === undefined ? null : { code: toText(map['error_code']), message: toText(map['error']) },
    mark: text('mark'),
    item: typeof map['item'] === 'number' ? map['item'] : 0,
    claimedUntil: readTime(text('claimed_until') ?? ''),
    claimedBy: text('claimed_by'),
  };
}

/** Lists are one text separated by spaces: a map without nesting is parsed faster. */
function wordsOf(value: PropertyValue | undefined): readonly string[] {
  return typeof value === 'string' ? value.split(/\s+/).filter((word) => word !== '') : [];
}

function toText(value: PropertyValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

export function bodyOf(note: Note): string {
  return note.text.slice(note.bodyStart);
}

/** Reads text and extraction from the body of an episode's note. If a person replaced the body, all of it is the text. */
export function readEpisodeContent(text: string): EpisodeContent {
  const block = /^\s*(`{3,})\w*\n([\s\S]*?)\n\1(?:\r?\n|$)/.exec(text);
  if (block === null) return { body: text, extraction: undefined };
  const found = /^\s*## Extraction\r?\n\s*(`{3,})json\n([\s\S]*?)\n\1(?:\r?\n|$)/.exec(text.slice(block[0].length));
  return { body: block[2] ?? '', extraction: found === null ? undefined : readJson(found[2] ?? '') };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not valid JSON after a hand edit: the episode is extracted again.
    return undefined;
  }
}

/**
 * Builds the body of an episode's note. The text is in a code block, so that it is preserved exactly, its links are not rewritten, and no
 * editor executes anything in it (S3-05, S3-10).
 */
export function episodeBody({ source, body, extraction }: EpisodeContent & { readonly source: EpisodeSource }): string {
  const shown = `${blockOf(source === 'json' ? 'json' : 'text', body)}`;
  return extraction === undefined ? `\n${shown}` : `\n${shown}\n## Extraction\n\n${blockOf('json', JSON.stringify(extraction, null, 2))}`;
}

function blockOf(language: string, text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}\n`;
}

/** The content of a new episode's note. */
export interface NewEpisode
  extends EpisodeContent, Pick<StoredEpisode, 'uuid' | 'groupId' | 'name' | 'source' | 'sourceDescription' | 'referenceTime'> {
  readonly path: string;
  /** The id of the note; differs from `uuid` if another note has that id. */
  readonly id: string;
  readonly at: string;
  readonly agent: string;
  readonly origin?: string | undefined;
  readonly ingest: Pick<Ingest, 'hash' | 'receipts' | 'mark' | 'error' | 'item'> & { readonly state: IngestState };
}

/** Returns the text of a new episode's note (docs/format.md, Knowledge graph). */
export function episodeText(episode: NewEpisode): string {
  const { ingest, id, uuid } = episode;
  return composeNote({
    properties: {
      id,
      ...(id === uuid ? {} : { uuid }),
      type: 'episode',
      ...(episode.name === null ? {} : { title: episode.name }),
      group_id: episode.groupId,
      source: episode.source,
      ...(episode.sourceDescription === null ? {} : { source_description: episode.sourceDescription }),
      reference_time: episode.referenceTime,
      ingest: {
        state: ingest.state,
        hash: ingest.hash,
        receipts: ingest.receipts.join(' '),
        ...(ingest.item === 0 ? {} : { item: ingest.item }),
        ...(ingest.error === null ? {} : { attempts: 1, error_code: ingest.error.code, error: ingest.error.message }),
        ...(ingest.mark === null ? {} : { mark: ingest.mark }),
      },
      rev: 1,
      created_at: episode.at,
      updated_at: episode.at,
      created_by: episode.agent,
      ...(episode.origin === undefined ? {} : { origin: episode.origin }),
    },
    body: episodeBody(episode),
  });
}
