/**
 * Facts with intervals, each held by an answer that is worked out without the program: WIKIDATA12k where its file is, else as many facts
 * that are made like it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { shared } from '../../../test/support/vault.ts';
import { randomOf } from '../../../test/support/random.ts';

/** A statement: the subject has the relation to the object, from the first moment of a year until that of another one. */
export interface Interval {
  readonly subject: string;
  readonly relation: string;
  readonly object: string;
  readonly from: number;
  /** Null for an open end. */
  readonly until: number | null;
}

const MADE_FACTS = 36_000;
const MADE_SUBJECTS = 6_000;
const MADE_RELATIONS = 24;
/** Relations of which a subject has one value at a time, in facts that are made. */
export const SINGLE_RELATIONS: readonly string[] = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5'];

/** Reads WIKIDATA12k: lines of subject, relation, object, start and end, separated by tabs; null where it is not on this machine. */
export function readWikidata(): readonly Interval[] | null {
  const file = ['wikidata12k.tsv', 'wikidata12k.tsv.gz'].map((name) => shared(`quality/outside/${name}`)).find((path) => existsSync(path));
  if (file === undefined) return null;
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  return text.split('\n').flatMap((line): readonly Interval[] => {
    const [subject = '', relation = '', object = '', start = '', end = ''] = line.split('\t');
    const [from, until] = [yearOf(start), yearOf(end)];
    // A fact without a start counts from when it was said, which is not what the set asks for.
    if (object === '' || from === null || (until !== null && until < from)) return [];
    return [{ subject: `s${subject}`, relation: `p${relation}`, object: `s${object}`, from, until: until === null ? null : until + 1 }];
  });
}

function yearOf(date: string): number | null {
  const [, year] = /^(\d{4})/.exec(date) ?? [];
  return year === undefined ? null : Number(year);
}

/** Makes as many facts; some objects come again, in intervals that overlap. In a one-valued relation no two begin together. */
export function makeIntervals(): readonly Interval[] {
  const random = randomOf('intervals', 1);
  const starts = new Set<string>();
  const intervals: Interval[] = [];
  while (intervals.length < MADE_FACTS) {
    const [subject, relation] = [`s${random.below(MADE_SUBJECTS)}`, `r${random.below(MADE_RELATIONS)}`];
    const from = 1850 + random.below(170);
    const start = `${subject} ${relation} ${from}`;
    if (SINGLE_RELATIONS.includes(relation) && starts.has(start)) continue;
    starts.add(start);
    const until = random.chance(0.25) ? null : from + 1 + random.below(25);
    intervals.push({ subject, relation, object: `o${random.below(8)}`, from, until });
  }
  return intervals;
}

/**
 * What holds in a year by the rules of the guide: of facts that compete the one that began last counts, until the earliest end that was said
 * of it. `isSingle`: different objects compete too.
 */
export function objectsAt(said: readonly Interval[], year: number, isSingle: boolean): readonly string[] {
  const begun = said.filter(({ from }) => from <= year);
  const competing = isSingle
    ? [begun]
    : [...new Set(begun.map(({ object }) => object))].map((object) => begun.filter((each) => each.object === object));
  return competing
    .flatMap((all): readonly string[] => {
      const from = Math.max(...all.map((each) => each.from));
      const last = all.filter((each) => each.from === from);
      return last.every(({ until }) => until === null || year < until) ? [...new Set(last.map(({ object }) => object))] : [];
    })
    .sort();
}
