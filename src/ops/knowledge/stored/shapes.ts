import type { NotePath } from '../../../note/path.ts';
import type { FactLine } from './fact-line.ts';

/** A fact with what its place says of it. */
export interface StoredFact extends Omit<FactLine, 'fact' | 'createdAt' | 'saidAt' | 'heldAt'> {
  /** Its id, or one made of its place and words where a person wrote it. */
  readonly uuid: string;
  /** In words; made of the names where the line says nothing more. */
  readonly fact: string;
  readonly createdAt: string;
  readonly saidAt: string;
  /** Where it names no time itself: each time at which it was said to hold then, sorted. */
  readonly heldAt: readonly string[];
  /** The list entry as it stands, for replacing it; null for what is not written yet. */
  readonly line: string | null;
}

/** An entity of the knowledge graph as its note holds it. */
export interface StoredEntity {
  readonly kind: 'entity';
  readonly path: NotePath;
  readonly uuid: string;
  readonly groupId: string;
  readonly name: string;
  /** The name as names are compared (S3-07). */
  readonly key: string;
  readonly summary: string | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly createdAt: string;
  /** Link text of the episode that it was made for; null where there is none. */
  readonly episode: string | null;
  readonly facts: readonly StoredFact[];
  /** Lines that were facts and cannot be read. */
  readonly problems: readonly { readonly line: string; readonly reason: string }[];
}

export type EpisodeSource = 'text' | 'json' | 'message';

/** How far an episode has come (S3-23). */
export const INGEST_STATES = [
  'accepted',
  'extract_failed',
  'extracted',
  'embed_failed',
  'embedded',
  'upsert_failed',
  'upserted',
  'completed',
  'parked',
] as const;
export type IngestState = (typeof INGEST_STATES)[number];

/** The durable state of an item, in the note of its episode. */
export interface Ingest {
  readonly state: IngestState;
  /** sha-256 over source, reference time and normalised body as it was accepted. */
  readonly hash: string;
  /** Failed attempts at the stage that it is in. */
  readonly attempts: number;
  readonly receipts: readonly string[];
  /** Not before this time; null: now. */
  readonly retryAt: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Shows that it was accepted by this user's roux: what came with the folder is not worked on by itself. */
  readonly mark: string | null;
  /** Another process works on it until then. */
  readonly claimedUntil: string | null;
  /** Which one, by a name that no other one has. */
  readonly claimedBy: string | null;
}

/** An episode as its note holds it. */
export interface StoredEpisode {
  readonly kind: 'episode';
  readonly path: NotePath;
  readonly uuid: string;
  readonly groupId: string;
  readonly name: string | null;
  readonly source: EpisodeSource;
  readonly sourceDescription: string | null;
  readonly referenceTime: string;
  readonly createdAt: string;
  readonly createdBy: string;
  /** Null for a note that a person wrote: nothing is read from it by itself. */
  readonly ingest: Ingest | null;
  /** Digest of all that is worked on while the item waits; null where nothing waits. */
  readonly digest: string | null;
}

/** What the note of an episode holds besides: read when it is wanted, as it may be long. */
export interface EpisodeContent {
  readonly body: string;
  /** What was extracted, or supplied with it, as JSON; undefined where there is nothing yet. */
  readonly extraction: unknown;
}

export type Stored = StoredEntity | StoredEpisode;

/** Whether nothing is to be done with an item any more. */
export function isSettled({ state }: Ingest): boolean {
  return state === 'completed' || state === 'parked';
}
