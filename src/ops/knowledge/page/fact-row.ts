import { stateInScope } from '../people/fact-state.ts';
import type { FactState } from '../people/fact-state.ts';
import { asKnown } from '../retrieve/validity.ts';
import type { Scope } from '../retrieve/validity.ts';
import { toFactResult } from '../retrieve/wire.ts';
import type { FoundFact } from '../stored/knowledge-group.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import { startOf } from '../stored/shapes.ts';
import { shorten } from '../../shorten.ts';

/** Limits of a name and a fact. */
export const MAX_NAME_CHARACTERS = 200;
const MAX_FACT_CHARACTERS = 1_000;
const MAX_EPISODES = 10;

/** An episode by name. Without a uuid it was deleted, and `name` is the link text of the fact. */
export interface NamedEpisode {
  readonly name: string;
  readonly uuid?: string;
  readonly path?: string;
  /** ISO 8601. */
  readonly reference_time?: string;
}

/** A fact on a timeline, as it is known now, with its state at the requested time. */
export interface FactRow {
  readonly uuid: string;
  readonly relation: string;
  readonly fact: string;
  readonly source: { readonly name: string; readonly path: string };
  readonly target: { readonly name: string; readonly path?: string };
  /** Valid time, half-open. */
  readonly valid_at?: string;
  readonly invalid_at?: string;
  /** Its start if it has no valid time. */
  readonly said_at: string;
  /** System time. */
  readonly created_at: string;
  readonly expired_at?: string;
  readonly negated?: true;
  /** `unknown` if it was not known then. */
  readonly state: FactState | 'unknown';
  readonly deleted_at?: string;
  readonly deleted_by?: string;
  readonly episodes: readonly NamedEpisode[];
  readonly episode_count: number;
}

/** Converts a fact to its row on a timeline. */
export function toFactRow(index: KnowledgeIndex, found: FoundFact, scope: Scope): FactRow {
  const { fact, source } = found;
  const result = toFactResult(index, found);
  const target = index.targetOf(fact, source.path);
  const then = asKnown(fact, scope.moment.known);
  const seen = then === null ? null : toFactResult(index, { fact: then, source });
  return {
    uuid: fact.uuid,
    relation: shorten(fact.name, MAX_NAME_CHARACTERS),
    fact: shorten(fact.fact, MAX_FACT_CHARACTERS),
    source: { name: shorten(source.name, MAX_NAME_CHARACTERS), path: source.path },
    target: { name: shorten(result.target_node_name, MAX_NAME_CHARACTERS), ...(target === null ? {} : { path: target.path }) },
    ...(fact.validAt === null ? {} : { valid_at: fact.validAt }),
    ...(fact.invalidAt === null ? {} : { invalid_at: fact.invalidAt }),
    said_at: fact.heldAt[0] ?? fact.saidAt,
    created_at: fact.createdAt,
    ...(fact.expiredAt === null ? {} : { expired_at: fact.expiredAt }),
    ...(fact.isNegated ? { negated: true as const } : {}),
    state: seen === null ? 'unknown' : stateInScope(fact, seen, scope),
    episodes: fact.episodes.slice(0, MAX_EPISODES).map((linkpath) => toEpisodeName(index, linkpath, source.path)),
    episode_count: fact.episodes.length,
  };
}

function toEpisodeName(index: KnowledgeIndex, linkpath: string, from: string): NamedEpisode {
  const stored = index.at(index.targetOf({ linkpath }, from)?.path ?? '');
  if (stored?.kind !== 'episode') return { name: shorten(linkpath, MAX_NAME_CHARACTERS) };
  const { uuid, name, path, referenceTime } = stored;
  return { name: shorten(name ?? linkpath, MAX_NAME_CHARACTERS), uuid, path, reference_time: referenceTime };
}

/** Returns the position of a fact on a timeline: when it begins to hold, else when it was stated. */
export function positionOf({ fact }: FoundFact): string {
  return startOf(fact) ?? fact.saidAt;
}
