import type { Result } from '../../operations.ts';

export type Timeline = NonNullable<Result<'fact_timeline'>['timeline']>;
export type Fact = Timeline['facts'][number];
/** The state of a fact at the selected times. */
export type FactState = Fact['state'];

export const STATE_WORDS: Readonly<Record<FactState, string>> = {
  holds: 'valid',
  ended: 'ended',
  'to come': 'not yet',
  superseded: 'superseded',
  deleted: 'deleted',
  unknown: 'not yet known',
};

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats the UTC day of a time (ISO 8601 or milliseconds). */
export function formatDay(time: string | number): string {
  const ms = typeof time === 'number' ? time : Date.parse(time);
  return Number.isNaN(ms) ? String(time) : day.format(ms);
}

/** Groups consecutive facts with the same source and relation. */
export function groupByRelation(
  facts: readonly Fact[],
): readonly { readonly source: Fact['source']; readonly relation: string; readonly facts: readonly Fact[] }[] {
  const groups: { readonly source: Fact['source']; readonly relation: string; readonly facts: Fact[] }[] = [];
  for (const fact of facts) {
    const last = groups.at(-1);
    if (last !== undefined && last.source.path === fact.source.path && last.relation === fact.relation) last.facts.push(fact);
    else groups.push({ source: fact.source, relation: fact.relation, facts: [fact] });
  }
  return groups;
}

/** The time range of the chart, in milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const DAY_MS = 24 * 3_600_000;

/** Returns a time range that covers the valid and known periods of all facts, with a margin. */
export function spanOf({ valid_from: validFrom, valid_to: validTo, known_from: knownFrom, known_to: knownTo }: Timeline['range']): Span {
  const times = [validFrom, validTo, knownFrom, knownTo].map((time) => Date.parse(time)).filter((time) => !Number.isNaN(time));
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const room = Math.max(DAY_MS * 2, (to - from) * 0.03);
  return { from: from - room, to: to + room };
}

/** Returns the position of a time in a span, from 0 to 1. */
export function positionIn({ from, to }: Span, time: number): number {
  return Math.min(1, Math.max(0, (time - from) / (to - from)));
}

/** Returns about six ticks for a time axis, at the beginnings of years, months or days. */
export function listTicks({ from, to }: Span): readonly { readonly time: number; readonly label: string }[] {
  const days = (to - from) / DAY_MS;
  const years = Math.max(1, Math.ceil(days / 365 / 7));
  const start = new Date(from);
  const ticks: number[] = [];
  if (days > 500)
    for (let year = Math.ceil((start.getUTCFullYear() + 1) / years) * years; Date.UTC(year) < to && ticks.length < 12; year += years)
      ticks.push(Date.UTC(year));
  else if (days > 45) {
    const months = Math.max(1, Math.ceil(days / 30 / 7));
    for (let month = start.getUTCMonth() + 1; Date.UTC(start.getUTCFullYear(), month) < to; month += months)
      ticks.push(Date.UTC(start.getUTCFullYear(), month));
  } else {
    const step = Math.max(1, Math.ceil(days / 7));
    for (let time = Math.ceil(from / DAY_MS) * DAY_MS; time < to; time += step * DAY_MS) ticks.push(time);
  }
  const format = new Intl.DateTimeFormat(undefined, {
    timeZone: 'UTC',
    ...(days > 500 ? { year: 'numeric' } : days > 45 ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' }),
  });
  return ticks.map((time) => ({ time, label: format.format(time) }));
}
