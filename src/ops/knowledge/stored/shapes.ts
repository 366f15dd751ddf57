import type { Statement } from '../../../extraction/statements.ts';
import type { PropertyMap } from '../../../note/frontmatter/property-value.ts';
import type { NotePath } from '../../../note/path.ts';
import type { FactLine } from './fact-line.ts';

/** A fact with what its note adds. */
export interface StoredFact extends Omit<FactLine, 'fact' | 'createdAt' | 'saidAt' | 'heldAt'> {
  /** Its id, or one derived from its note and line if a person wrote it. */
  readonly uuid: string;
  /** In words, or built from the names if the line has none. */
  readonly fact: string;
  readonly createdAt: string;
  readonly saidAt: string;
  /** Without valid time: each time at which it was stated to hold, sorted. */
  readonly heldAt: readonly string[];
  /** The list entry, needed to replace it; null for a new fact. */
  readonly line: string | null;
}

/** An entity as its note states it. */
export interface StoredEntity {
  readonly kind: 'entity';
  readonly path: NotePath;
  readonly uuid: string;
  readonly groupId: string;
  readonly name: string;
  /** The normalised name (S3-07). */
  readonly key: string;
  readonly summary: string | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly createdAt: string;
  /** Link text of the episode for which it was created, or null. */
  readonly episode: string | null;
  readonly factUuids: readonly string[];
  /** In the order of `factUuids`. Parsed when they are first asked for, like the next two. */
  readonly facts: readonly StoredFact[];
  /** The list entries of its facts. */
  readonly factLines: readonly string[];
  /** Returns its fact with a uuid. */
  fact(uuid: string): StoredFact | null;
  /** Normalised relations that a fact declares one-valued. */
  readonly singleRelations: readonly string[];
  /** What its facts lead to, each once. */
  readonly linkpaths: readonly string[];
  /** Lines that were facts and cannot be read. */
  readonly problems: readonly { readonly line: string; readonly reason: string }[];
}

export type EpisodeSource = 'text' | 'json' | 'message';

/** States of ingestion (S3-23). */
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

/** The durable state of an item, stored in the note of its episode. */
export interface Ingest {
  readonly state: IngestState;
  /** sha-256 of source, reference time and normalised body at acceptance. */
  readonly hash: string;
  /** Failed attempts at the present stage. */
  readonly attempts: number;
  readonly receipts: readonly string[];
  /** Not before this time; null for at once. */
  readonly retryAt: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Proves that this user's roux accepted it; other items are not processed automatically. */
  readonly mark: string | null;
  /** Its place in the call that accepted it, from 1; 0 if it was the only item. */
  readonly item: number;
  /** Another process works on it until then, and the name of that process. */
  readonly claimedUntil: string | null;
  readonly claimedBy: string | null;
}

/** A part of an episode as it was said (`Statement`), derived from its note. */
export interface StoredStatement extends Statement {
  /** From the uuid of the episode and the text, so that it stays the same while other sentences of the note are edited. */
  readonly uuid: string;
}

/** An episode as its note states it. */
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
  /** Null for a note that a person wrote, which is not ingested. */
  readonly ingest: Ingest | null;
  /** Digest of the content of an open item; null if it is settled. */
  readonly digest: string | null;
  readonly statementUuids: readonly string[];
  /** What was said in it, where no extraction was supplied or made; empty until the item is completed. Read when first asked for. */
  readonly statements: readonly StoredStatement[];
  /** What its note says about statements, by `confirmationKey`; null if nothing. */
  readonly statementInfo: PropertyMap | null;
  /** The keys of statements that were deleted. */
  readonly deleted: readonly string[];
}

/** The content of an episode's note, read on demand because it may be long. */
export interface EpisodeContent {
  readonly body: string;
  /** The extraction as JSON, made or supplied; undefined if there is none. */
  readonly extraction: unknown;
}

export type Stored = StoredEntity | StoredEpisode;

/** Returns whether an item needs no more work. */
export function isSettled({ state }: Ingest): boolean {
  return state === 'completed' || state === 'parked';
}

/** Returns the times at which a statement without `validAt` says that it holds: when it was said, unless it was over by then. */
export function statementTimes({ validAt, invalidAt, saidAt }: Pick<StoredFact, 'validAt' | 'invalidAt' | 'saidAt'>): readonly string[] {
  return validAt === null && (invalidAt === null || invalidAt > saidAt) ? [saidAt] : [];
}

/** Returns when a fact begins to hold: at `valid_at`, else when it was first stated; null if it was over by then. */
export function startOf({ validAt, heldAt }: Pick<StoredFact, 'validAt' | 'heldAt'>): string | null {
  return validAt ?? heldAt[0] ?? null;
}
