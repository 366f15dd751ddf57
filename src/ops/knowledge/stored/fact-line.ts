import { formatRelation, parseRelation } from '../../../note/body/relation.ts';
import type { Relation, RelationField } from '../../../note/body/relation.ts';
import { isRecord } from '../../../is-record.ts';
import { readConfirmation, readDay } from '../../../note/freshness.ts';
import type { Confirmation } from '../../../note/freshness.ts';
import { readTime } from '../../../extraction/times/utc.ts';

/** A change of the end of a fact's valid time. */
export interface Cut {
  /** When it was made, in system time. */
  readonly at: string;
  /** The end before; null for none. */
  readonly from: string | null;
  /** Uuid of the fact that caused it; null if the fact itself was stated with this end. */
  readonly by: string | null;
}

/** A change of the start of a fact without valid time: when an earlier statement became known, in system time, and the start before. */
export interface EarlierStart {
  readonly at: string;
  readonly from: string;
}

/**
 * A fact as its line states it: a relation with a `^f-` id, or one without an id that a person wrote into an entity (docs/format.md, Facts).
 * Times are ISO 8601 UTC with milliseconds.
 */
export interface FactLine {
  /** `f-` and a lower-case ULID; null if a person wrote the line. */
  readonly id: string | null;
  /** The relation. */
  readonly name: string;
  /** The fact in words; null if the line has none. */
  readonly fact: string | null;
  readonly linkpath: string;
  readonly shown: string | null;
  /** Valid time, half-open. */
  readonly validAt: string | null;
  readonly invalidAt: string | null;
  /** System time. */
  readonly createdAt: string | null;
  readonly expiredAt: string | null;
  /** Reference time of the newest episode that states it; its start if it has no valid time. */
  readonly saidAt: string | null;
  /** For a fact without valid time: each time at which it was stated to hold. Null if that is `saidAt` alone. */
  readonly heldAt: readonly string[] | null;
  /** System time since which it is valid at no time, because another fact replaced or reworded it. */
  readonly withdrawnAt: string | null;
  /** Uuid of that fact. */
  readonly withdrawnBy: string | null;
  /** Uuid of the fact that corrects it; it has no effect on others any more. */
  readonly correctedBy: string | null;
  readonly cuts: readonly Cut[];
  readonly earlierStarts: readonly EarlierStart[];
  /** States that the relation does not hold. */
  readonly isNegated: boolean;
  /** Declares that an entity has one value of this relation at a time, in the whole group. */
  readonly isSingle: boolean;
  readonly qualifiers: Readonly<Record<string, unknown>> | null;
  /** Who confirmed it, one entry for each actor, newest first. */
  readonly verified: readonly Confirmation[];
  /** The day, `YYYY-MM-DD`, from which on it is stale. */
  readonly staleAfter: string | null;
  /** Link texts of the episodes that state it, oldest first. */
  readonly episodes: readonly string[];
  /** Fields that people added, preserved. */
  readonly others: readonly RelationField[];
}

/** A list entry: a fact, prose (null), or a former fact that cannot be read, with the reason. */
export type ReadFact = { readonly fact: FactLine } | { readonly problem: string } | null;

const TIMES = {
  valid_at: 'validAt',
  invalid_at: 'invalidAt',
  created_at: 'createdAt',
  expired_at: 'expiredAt',
  said_at: 'saidAt',
  withdrawn_at: 'withdrawnAt',
} as const;

/** Shared, since a vault has a hundred thousand facts and few are confirmed. */
const NO_CONFIRMATIONS: readonly Confirmation[] = [];

const FACT_ID = /^f-[A-Za-z0-9-]+$/;

/** Fields with the uuid of another fact. */
const CAUSES = { withdrawn_by: 'withdrawnBy', corrected_by: 'correctedBy' } as const;

/** Parses a list entry below `## Relations` of an entity. Returns null for prose and other relations. */
export function parseFact(line: string): ReadFact {
  const relation = parseRelation(line);
  if (relation === null) {
    const wasFact = /(?:^|[ \t])\^f-[A-Za-z0-9-]+\s*$/.test(line) || /\[(?:valid_at|created_at)::/.test(line);
    return wasFact ? { problem: 'it is not a relation any more; a fact is "- RELATION [[Target]]: text"' } : null;
  }
  if (relation.blockId !== null && !relation.blockId.startsWith('f-')) return null;
  return readFields(relation);
}

function readFields(relation: Relation): ReadFact {
  const times = { validAt: null, invalidAt: null, createdAt: null, expiredAt: null, saidAt: null, withdrawnAt: null } as {
    [Key in (typeof TIMES)[keyof typeof TIMES]]: string | null;
  };
  const heldAt: string[] = [];
  const causes = { withdrawnBy: null, correctedBy: null } as { [Key in (typeof CAUSES)[keyof typeof CAUSES]]: string | null };
  const rest = {
    cuts: [] as Cut[],
    earlierStarts: [] as EarlierStart[],
    isNegated: false,
    isSingle: false,
    qualifiers: null as FactLine['qualifiers'],
    verified: NO_CONFIRMATIONS,
    staleAfter: null as string | null,
    episodes: [] as string[],
  };
  const others: RelationField[] = [];
  let isHeld = false;
  for (const { key, value } of relation.fields) {
    if (Object.hasOwn(TIMES, key)) {
      const time = readTime(value);
      if (time === null) return { problem: `[${key}:: ${value.slice(0, 40)}] is not a date; write one such as 2026-01-05` };
      times[TIMES[key as keyof typeof TIMES]] = time;
    } else if (Object.hasOwn(CAUSES, key)) causes[CAUSES[key as keyof typeof CAUSES]] = readFactId(value.trim());
    else if (key === 'cut' || key === 'earlier_start') {
      const [written = '', before = '', by = ''] = value.trim().split(/\s+/);
      const [at, from] = [readTime(written), readTime(before)];
      const isOpen = key === 'cut' && before === 'open';
      if (at === null || (from === null && !isOpen)) return { problem: `[${key}:: ${value.slice(0, 60)}] is not two dates` };
      if (key === 'cut') rest.cuts.push({ at, from, by: readFactId(by) });
      else if (from !== null) rest.earlierStarts.push({ at, from });
    } else if (key === 'held_at') {
      const time = readTime(value);
      if (time === null && value.trim() !== 'never') return { problem: `[held_at:: ${value.slice(0, 40)}] is not a date` };
      heldAt.push(...(time === null ? [] : [time]));
      isHeld = true;
    } else if (key === 'negated') rest.isNegated = isTrue(value);
    else if (key === 'single') rest.isSingle = isTrue(value);
    else if (key === 'qualifiers') {
      const read = readJson(value);
      if (read === null) return { problem: '[qualifiers:: …] is not a JSON object' };
      rest.qualifiers = read;
    } else if (key === 'episode') rest.episodes.push(linkTextOf(value));
    else if (key === 'verified' && rest.verified.length === 0 && readConfirmations(value) !== null)
      rest.verified = readConfirmations(value) ?? [];
    else if (key === 'stale_after' && rest.staleAfter === null && readDay(value) !== null) rest.staleAfter = readDay(value);
    else others.push({ key, value });
  }
  if (times.validAt !== null && times.invalidAt !== null && times.invalidAt < times.validAt)
    return { problem: 'invalid_at is before valid_at' };
  return {
    fact: {
      id: relation.blockId,
      name: relation.type,
      fact: relation.text,
      linkpath: relation.target.split('#')[0] ?? '',
      shown: relation.shown,
      ...times,
      ...causes,
      ...rest,
      heldAt: isHeld ? heldAt : null,
      others,
    },
  };
}

/** Formats the list entry of a fact. Throws `INVALID_ARGUMENT` if it does not fit on a line. */
export function formatFact(fact: FactLine): string {
  const field = (key: string, value: string | null): RelationField[] => (value === null ? [] : [{ key, value }]);
  return formatRelation({
    type: fact.name,
    target: fact.linkpath,
    shown: fact.shown,
    text: fact.fact === '' ? null : fact.fact,
    fields: [
      ...field('valid_at', fact.validAt),
      ...field('invalid_at', fact.invalidAt),
      ...field('negated', fact.isNegated ? 'true' : null),
      ...field('single', fact.isSingle ? 'true' : null),
      ...field('qualifiers', fact.qualifiers === null ? null : JSON.stringify(fact.qualifiers)),
      ...fact.others,
      ...field('said_at', fact.saidAt),
      ...(fact.heldAt ?? []).map((value) => ({ key: 'held_at', value })),
      ...(fact.heldAt?.length === 0 ? field('held_at', 'never') : []),
      ...field('created_at', fact.createdAt),
      ...field('expired_at', fact.expiredAt),
      ...field('withdrawn_at', fact.withdrawnAt),
      ...field('withdrawn_by', fact.withdrawnBy),
      ...field('corrected_by', fact.correctedBy),
      ...fact.cuts.map(({ at, from, by }) => ({ key: 'cut', value: `${at} ${from ?? 'open'}${by === null ? '' : ` ${by}`}` })),
      ...fact.earlierStarts.map(({ at, from }) => ({ key: 'earlier_start', value: `${at} ${from}` })),
      ...field('verified', fact.verified.length === 0 ? null : fact.verified.map(({ at, by }) => `${at} ${by}`).join('; ')),
      ...field('stale_after', fact.staleAfter),
      ...fact.episodes.map((link) => ({ key: 'episode', value: `[[${link}]]` })),
    ],
    blockId: fact.id,
  });
}

/** Parses confirmations such as `2026-11-28T10:00:00.000Z human:ana; …`; null if one of them is none. */
function readConfirmations(text: string): readonly Confirmation[] | null {
  const read = text.split(';').map((part) => {
    const [at = '', by = '', ...rest] = part.trim().split(/\s+/);
    return rest.length === 0 ? readConfirmation(by, readTime(at) ?? '') : null;
  });
  return read.every((each) => each !== null) ? read : null;
}

function readFactId(text: string): string | null {
  return FACT_ID.test(text) ? text : null;
}

function isTrue(value: string): boolean {
  return /^(?:true|yes)$/i.test(value.trim());
}

function linkTextOf(value: string): string {
  return (/^\[\[([^|\]]*)(?:\|[^\]]*)?\]\]$/.exec(value.trim())?.[1] ?? value).trim();
}

function readJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
