import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../../src/ops/knowledge/reconcile/reconcile.ts';
import { restoreEnded } from '../../../../src/ops/knowledge/reconcile/restore-ended.ts';
import type { CompetingFact } from '../../../../src/ops/knowledge/reconcile/competing-facts.ts';
import { asKnown, isVisible } from '../../../../src/ops/knowledge/retrieve/validity.ts';
import { statementTimes } from '../../../../src/ops/knowledge/stored/shapes.ts';
import type { StoredFact } from '../../../../src/ops/knowledge/stored/shapes.ts';
import { runs } from '../../../support/effort.ts';
import { answersAt, day, statements } from './model.ts';
import type { Statement } from './model.ts';

/** What all facts have in common here. */
const PLAIN = {
  shown: null,
  expiredAt: null,
  withdrawnAt: null,
  withdrawnBy: null,
  correctedBy: null,
  cuts: [],
  earlierStarts: [],
  qualifiers: null,
  verified: [],
  staleAfter: null,
  others: [],
  line: null,
} as const;

/** A knowledge graph of one entity, in memory: what is stated goes through the rules alone. */
class Stated {
  facts: CompetingFact[] = [];
  #ids = 0;
  /** System time of the last step, in days after everything else. */
  #step = 0;

  get now(): string {
    return day(1000 + this.#step);
  }

  #newId(): string {
    return `f-${String((this.#ids += 1)).padStart(4, '0')}`;
  }

  /** States a fact; the uuid of the one that makes the statement. */
  state({ target, words, valid, ends, isNegated, said, isSingle }: Statement, corrects: string | null = null): string {
    this.#step += 1;
    const times = { validAt: valid === null ? null : day(valid), invalidAt: ends === null ? null : day(ends), saidAt: day(said) };
    const uuid = this.#newId();
    const fact: StoredFact = {
      ...PLAIN,
      ...times,
      id: uuid,
      uuid,
      name: isSingle ? 'WORKS_AT' : 'LIKES',
      fact: words,
      linkpath: target,
      heldAt: statementTimes(times),
      createdAt: this.now,
      isNegated,
      isSingle,
      episodes: [`episode-${said}`],
    };
    const timeOf = (episode: string): string => day(Number(episode.slice('episode-'.length)));
    const rules = { now: this.now, isSingle, newId: () => this.#newId(), timeOf };
    const result = reconcile({ fact, targetUuid: target }, this.facts, rules, corrects);
    this.facts = this.facts.map((known) => ({ ...known, fact: result.changed.get(known.fact.uuid) ?? known.fact }));
    this.facts.push(...result.added);
    return result.uuid;
  }

  delete(uuid: string, isSingle: boolean): void {
    this.facts = this.facts.filter(({ fact }) => fact.uuid !== uuid);
    const rules = { now: this.now, isSingle: () => isSingle };
    const restored = new Map(restoreEnded(new Set([uuid]), this.facts, rules).map((fact) => [fact.uuid, fact]));
    this.facts = this.facts.map((known) => ({ ...known, fact: restored.get(known.fact.uuid) ?? known.fact }));
  }

  /** What holds at a day, by what was known at a system time; null: by all that is known. */
  answers(valid: number, known: string | null = null): readonly string[] {
    const scope = { moment: { valid: day(valid), known, isPast: true }, includeExpired: false };
    const held = this.facts.flatMap(({ fact }) => (isVisible(fact, scope) ? [fact] : []));
    return held.map((fact) => `${fact.isNegated ? 'not ' : ''}${fact.linkpath}: ${fact.fact}`).sort();
  }

  /** All that was known at a system time, to the last field that an answer has. */
  asKnown(known: string | null = null): unknown {
    return this.facts
      .flatMap(({ fact }) => asKnown(fact, known) ?? [])
      .map(({ uuid, fact, validAt, invalidAt, createdAt, expiredAt }) => ({ uuid, fact, validAt, invalidAt, createdAt, expiredAt }));
  }
}

const DAYS = Array.from({ length: 14 }, (_, at) => at - 1);

describe('the rules of both times', () => {
  it('S3-38 S3-40 the same facts in any order, and stated twice, give the answers that the model gives, now and at any valid time', () => {
    fc.assert(
      fc.property(statements, fc.infiniteStream(fc.nat()), (stated, chance) => {
        const [first, other] = [new Stated(), new Stated()];
        for (const each of stated) first.state(each);
        const twice = [...stated, ...stated.filter((_, at) => at % 2 === 0)];
        const shuffled = twice.map((each) => ({ each, at: Number(chance.next().value) })).sort((a, b) => a.at - b.at);
        for (const { each } of shuffled) other.state(each);
        for (const at of [...DAYS, 900]) {
          const wanted = answersAt(stated, at);
          expect(first.answers(at), `at ${at}, in the order given`).toEqual(wanted);
          expect(other.answers(at), `at ${at}, in the order ${shuffled.map(({ each }) => each.said).join()}`).toEqual(wanted);
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  it('S3-43 what is asked as of a system time is answered as it was then, after whatever else was learnt', () => {
    fc.assert(
      fc.property(statements, (stated) => {
        const graph = new Stated();
        const recorded = stated.map((each) => {
          graph.state(each);
          return { known: graph.now, all: graph.asKnown(), answers: DAYS.map((at) => graph.answers(at)) };
        });
        for (const { known, all, answers } of recorded) {
          expect(graph.asKnown(known)).toEqual(all);
          expect(DAYS.map((at) => graph.answers(at, known))).toEqual(answers);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it('K-14 deleting a fact restores what it ended or withdrew, as if it had never been stated', () => {
    fc.assert(
      fc.property(statements, fc.nat(), (all, chance) => {
        const stated = all.map((each) => ({ ...each, ends: null }));
        const graph = new Stated();
        for (const each of stated) graph.state(each);
        const { uuid, episodes } = graph.facts[chance % graph.facts.length]!.fact;
        const rest = stated.filter(({ said }) => !episodes.includes(`episode-${said}`));
        graph.delete(uuid, stated[0]!.isSingle);
        for (const at of [...DAYS, 900]) expect(graph.answers(at), `at ${at}`).toEqual(answersAt(rest, at));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('S3-37 S3-38 history is kept: no fact is lost, system times only grow, and the same facts again make no others', () => {
    fc.assert(
      fc.property(statements, (stated) => {
        const graph = new Stated();
        let before: CompetingFact[] = [];
        for (const each of stated) {
          graph.state(each);
          for (const [at, { fact }] of before.entries()) {
            const now = graph.facts[at]!.fact;
            expect(now).toMatchObject({ uuid: fact.uuid, fact: fact.fact, createdAt: fact.createdAt, validAt: fact.validAt });
            expect([fact.expiredAt, null]).toContain(fact.expiredAt === null ? null : now.expiredAt);
            expect(now.cuts.slice(0, fact.cuts.length)).toEqual(fact.cuts);
            expect(now.cuts.map(({ at }) => at)).toEqual(now.cuts.map(({ at }) => at).toSorted());
          }
          before = graph.facts;
        }
        const count = graph.facts.length;
        for (const each of stated) graph.state(each);
        expect(graph.facts).toHaveLength(count);
        const episodes = new Set(graph.facts.flatMap(({ fact }) => fact.episodes));
        expect(episodes.size).toBe(stated.length);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('K-05 K-07 S3-43 what is corrected has no effect any more, in any order before, and is still known as of then', () => {
    const corrections = statements.chain((stated) =>
      fc.record({
        stated: fc.constant(stated),
        wrong: fc.nat({ max: stated.length - 1 }),
        right: fc.record({ target: fc.constantFrom('Acme', 'Globex'), valid: fc.option(fc.integer({ min: 0, max: 10 })) }),
      }),
    );
    fc.assert(
      fc.property(corrections, fc.infiniteStream(fc.nat()), ({ stated, wrong, right }, chance) => {
        const corrected = stated[wrong]!;
        // What a period loses with one of its statements depends on the others; with ends, on how they were merged.
        fc.pre(corrected.valid !== null || stated.every(({ ends }) => ends === null));
        const correction = { ...corrected, ...right, words: 'really works', ends: null, isNegated: false, said: 12 };
        const orders = [
          stated,
          stated
            .map((each) => ({ each, at: Number(chance.next().value) }))
            .sort((a, b) => a.at - b.at)
            .map(({ each }) => each),
        ];
        for (const order of orders) {
          const graph = new Stated();
          const uuids = new Map(order.map((each) => [each, graph.state(each)]));
          const named = graph.facts.find(
            ({ fact }) => fact.episodes.includes(`episode-${corrected.said}`) && fact.withdrawnAt === null,
          )?.fact;
          const before = { known: graph.now, all: graph.asKnown(), answers: DAYS.map((at) => graph.answers(at)) };
          graph.state(correction, named?.uuid ?? uuids.get(corrected));
          const isGone = (each: Statement): boolean =>
            corrected.valid === null
              ? isSameEdge(each, corrected) && each.words === corrected.words && (named?.heldAt.includes(day(each.said)) ?? false)
              : isSameEdge(each, corrected);
          const left = [...stated.filter((each) => !isGone(each)), correction];
          // A statement that others have replaced is no fact that a search finds.
          for (const at of named === undefined ? [] : [...DAYS, 900])
            expect(graph.answers(at), `at ${at}, in the order ${order.map(({ said }) => said).join()}`).toEqual(answersAt(left, at));
          expect(graph.asKnown(before.known)).toEqual(before.all);
          expect(DAYS.map((at) => graph.answers(at, before.known))).toEqual(before.answers);
          // The same again changes nothing.
          const count = graph.facts.length;
          for (const each of stated) graph.state(each);
          expect(graph.facts).toHaveLength(count);
        }
      }),
      { numRuns: runs(1500) },
    );
  });
});

function isSameEdge(one: Statement, other: Statement): boolean {
  return one.target === other.target && one.isNegated === other.isNegated && one.valid === other.valid;
}
