import { formatRelation, parseRelation } from '../../../note/body/relation.ts';
import type { Relation, RelationField } from '../../../note/body/relation.ts';
import { isRecord } from '../../../is-record.ts';
import { readTime } from './time.ts';

/** When the end of a fact's valid time was set or moved, in system time, and what it was before; null: it had none. */
export interface Cut {
  readonly at: string;
  readonly from: string | null;
}

/**
 * A fact as its line says it: a relation with a `^f-` id, or one without any id that a person wrote into an entity of the knowledge graph
 * (docs/format.md, Facts). Times are ISO 8601 UTC with milliseconds.
 */
export interface FactLine {
  /** `f-` and a lower-case ULID; null where a person wrote the line. */
  readonly id: string | null;
  /** The relation. */
  readonly name: string;
  /** The fact in words; null where the line says none. */
  readonly fact: string | null;
  readonly linkpath: string;
  readonly shown: string | null;
  /** Valid time, half-open: from, and up to. */
  readonly validAt: string | null;
  readonly invalidAt: string | null;
  /** System time: known since, and until. */
  readonly createdAt: string | null;
  readonly expiredAt: string | null;
  /** The reference time of the newest episode that states it: what it counts from where it names no time itself. */
  readonly saidAt: string | null;
  /** Of a fact that names no time itself: each time at which it was said to hold then. Null where the line says no more than `saidAt` does. */
  readonly heldAt: readonly string[] | null;
  /** Since then, in system time, it is believed of no time: another one took its place, or said it in other words. */
  readonly withdrawnAt: string | null;
  readonly cuts: readonly Cut[];
  /** It says that the relation does not hold, from then on. */
  readonly isNegated: boolean;
  readonly qualifiers: Readonly<Record<string, unknown>> | null;
  /** Link texts of the episodes that state it, the first one first. */
  readonly episodes: readonly string[];
  /** Fields of people's own, kept as they are. */
  readonly others: readonly RelationField[];
}

/** What a line of an entity's relations is: a fact, prose, or what was a fact and cannot be read any more, with the reason. */
export type ReadFact = { readonly fact: FactLine } | { readonly problem: string } | null;

const TIMES = {
  valid_at: 'validAt',
  invalid_at: 'invalidAt',
  created_at: 'createdAt',
  expired_at: 'expiredAt',
  said_at: 'saidAt',
  withdrawn_at: 'withdrawnAt',
} as const;

/** Reads a list entry below `## Relations` of an entity. Null for prose, connections and whatever never was a fact. */
export function parseFact(line: string): ReadFact {
  const relation = parseRelation(line);
  if (relation === null) {
    const wasFact = /(?:^|[ \t])\^f-[A-Za-z0-9-]+\s*$/.test(line) || /\[(?:valid_at|created_at)::/.test(line);
    return wasFact ? { problem: 'it is no relation any more; a fact is "- RELATION [[Target]]: text"' } : null;
  }
  if (relation.blockId !== null && !relation.blockId.startsWith('f-')) return null;
  return readFields(relation);
}

function readFields(relation: Relation): ReadFact {
  const times = { validAt: null, invalidAt: null, createdAt: null, expiredAt: null, saidAt: null, withdrawnAt: null } as {
    [Key in (typeof TIMES)[keyof typeof TIMES]]: string | null;
  };
  const heldAt: string[] = [];
  const rest = { cuts: [] as Cut[], isNegated: false, qualifiers: null as FactLine['qualifiers'], episodes: [] as string[] };
  const others: RelationField[] = [];
  let isHeld = false;
  for (const { key, value } of relation.fields) {
    if (Object.hasOwn(TIMES, key)) {
      const time = readTime(value);
      if (time === null) return { problem: `[${key}:: ${value.slice(0, 40)}] is no date; write one such as 2026-01-05` };
      times[TIMES[key as keyof typeof TIMES]] = time;
    } else if (key === 'cut') {
      const [at = '', from = ''] = value.trim().split(/\s+/);
      const [cutAt, cutFrom] = [readTime(at), from === 'open' ? null : readTime(from)];
      if (cutAt === null || (cutFrom === null && from !== 'open')) return { problem: `[cut:: ${value.slice(0, 60)}] is not two dates` };
      rest.cuts.push({ at: cutAt, from: cutFrom });
    } else if (key === 'held_at') {
      const time = readTime(value);
      if (time === null && value.trim() !== 'never') return { problem: `[held_at:: ${value.slice(0, 40)}] is no date` };
      heldAt.push(...(time === null ? [] : [time]));
      isHeld = true;
    } else if (key === 'negated') rest.isNegated = /^(?:true|yes)$/i.test(value.trim());
    else if (key === 'qualifiers') {
      const read = readJson(value);
      if (read === null) return { problem: '[qualifiers:: …] is no JSON object' };
      rest.qualifiers = read;
    } else if (key === 'episode') rest.episodes.push(linkTextOf(value));
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
      ...rest,
      heldAt: isHeld ? heldAt : null,
      others,
    },
  };
}

/** The list entry of a fact. Throws `INVALID_ARGUMENT` for what a line cannot hold. */
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
      ...field('qualifiers', fact.qualifiers === null ? null : JSON.stringify(fact.qualifiers)),
      ...fact.others,
      ...field('said_at', fact.saidAt),
      ...(fact.heldAt ?? []).map((value) => ({ key: 'held_at', value })),
      ...(fact.heldAt?.length === 0 ? field('held_at', 'never') : []),
      ...field('created_at', fact.createdAt),
      ...field('expired_at', fact.expiredAt),
      ...field('withdrawn_at', fact.withdrawnAt),
      ...fact.cuts.map(({ at, from }) => ({ key: 'cut', value: `${at} ${from ?? 'open'}` })),
      ...fact.episodes.map((link) => ({ key: 'episode', value: `[[${link}]]` })),
    ],
    blockId: fact.id,
  });
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
