import { createHash } from 'node:crypto';
import { composeNote } from '../../../note/compose.ts';
import { isPropertyMap } from '../../../note/frontmatter/property-value.ts';
import type { PropertyMap } from '../../../note/frontmatter/property-value.ts';
import type { Note, PropertyValue } from '../../../note/note.ts';
import { INGEST_STATES, isSettled } from './shapes.ts';
import type { EpisodeContent, EpisodeSource, Ingest, IngestState, StoredEpisode } from './shapes.ts';
import type { Place } from './entity-note.ts';
import { readTime } from './time.ts';

/** An episode from its note, without its text. */
export function readEpisodeNote(note: Note, { groupId, modifiedMs }: Place): StoredEpisode {
  const { data } = note.frontmatter;
  const text = (key: string): string | null => (typeof data[key] === 'string' && data[key] !== '' ? data[key] : null);
  const modified = new Date(modifiedMs).toISOString();
  const createdAt = readTime(text('created_at') ?? '') ?? modified;
  const source = text('source');
  const ingest = isPropertyMap(data['ingest']) ? readIngest(data['ingest']) : null;
  const episode: Omit<StoredEpisode, 'digest'> = {
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
  return { ...episode, digest: isWaiting ? digestOf(episode, readEpisodeContent(bodyOf(note))) : null };
}

/** Digest of what an item is read from: other words, or another extraction, are another item. */
export function digestOf(
  { source, referenceTime, name, sourceDescription }: Pick<StoredEpisode, 'source' | 'referenceTime' | 'name' | 'sourceDescription'>,
  { body, extraction }: EpisodeContent,
): string {
  // As a file holds them, and reads them back.
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
    receipts: readReceipts(map['receipts']),
    retryAt: readTime(text('retry_at') ?? ''),
    error: map['error_code'] === undefined ? null : { code: toText(map['error_code']), message: toText(map['error']) },
    mark: text('mark'),
    claimedUntil: readTime(text('claimed_until') ?? ''),
    claimedBy: text('claimed_by'),
  };
}

/** In one text, apart by spaces: nothing in the map nests, so that it is read fast. */
function readReceipts(value: PropertyValue | undefined): readonly string[] {
  return typeof value === 'string' ? value.split(/\s+/).filter((receipt) => receipt !== '') : [];
}

function toText(value: PropertyValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** The body of a note, as it stands. */
export function bodyOf(note: Note): string {
  return note.text.slice(note.bodyStart);
}

/** Text and extraction in the body of an episode's note, exactly as they were given; of a body that a person wrote anew, all of it is the text. */
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
    // Edited by hand into what is none: it is extracted anew.
    return undefined;
  }
}

/**
 * The body of an episode's note. The text stands in a block of code: it is kept to the byte, no link in it is rewritten, and nothing in
 * it is carried out by an editor (S3-05, S3-10).
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

/** What a new episode's note is made of. */
export interface NewEpisode extends EpisodeContent {
  readonly path: string;
  /** The id of the note, another one than its uuid where the vault has a note of that id already. */
  readonly id: string;
  readonly uuid: string;
  readonly groupId: string;
  readonly name: string | null;
  readonly source: EpisodeSource;
  readonly sourceDescription: string | null;
  readonly referenceTime: string;
  readonly at: string;
  readonly agent: string;
  readonly ingest: Pick<Ingest, 'hash' | 'receipts' | 'mark' | 'error'> & { readonly state: IngestState };
}

/** The new note of an episode (docs/format.md, Knowledge graph). */
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
        ...(ingest.error === null ? {} : { attempts: 1, error_code: ingest.error.code, error: ingest.error.message }),
        ...(ingest.mark === null ? {} : { mark: ingest.mark }),
      },
      rev: 1,
      created_at: episode.at,
      updated_at: episode.at,
      created_by: episode.agent,
    },
    body: episodeBody(episode),
  });
}
