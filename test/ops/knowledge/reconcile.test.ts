import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reconcile, restore } from '../../../src/ops/knowledge/ingest/reconcile.ts';
import type { CompetingFact } from '../../../src/ops/knowledge/ingest/competing-facts.ts';
import { asKnown, isVisible } from '../../../src/ops/knowledge/retrieve/validity.ts';
import { statementTimes } from '../../../src/ops/knowledge/stored/shapes.ts';
import type { StoredFact } from '../../../src/ops/knowledge/stored/shapes.ts';
import { runs } from '../../support/effort.ts';
import { answersAt, day, statements } from './model.ts';
import type { Statement } from './model.ts';

/** What all facts have in common here. */
const PLAIN = {
  shown: null,
  expiredAt: null,
  withdrawnAt: null,
  withdrawnBy: null,
  cuts: [],
  qualifiers: null,
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

  state({ target, words, valid, ends, isNegated, said, isSingle }: Statement): string {
    this.#step += 1;
    const times = { validAt: valid === null ? null : day(valid), invalidAt: ends === null ? null : day(ends), saidAt: day(said) };
    const uuid = `f-${String((this.#ids += 1)).padStart(4, '0')}`;
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
      episodes: [`episode-${said}`],
    };
    const { changed, added, uuid: stated } = reconcile({ fact, targetUuid: target }, this.facts, { now: this.now, isSingle });
    this.facts = this.facts.map((known) => ({ ...known, fact: changed.get(known.fact.uuid) ?? known.fact }));
    if (added !== null) this.facts.push({ fact: added, targetUuid: target });
    return stated;
  }

  delete(uuid: string, isSingle: boolean): void {
    this.facts = this.facts.filter(({ fact }) => fact.uuid !== uuid);
    const restored = new Map(
      restore(new Set([uuid]), this.facts, { now: this.now, isSingle: () => isSingle }).map((fact) => [fact.uuid, fact]),
    );
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
        const by = stated.map((each) => ({ each, uuid: graph.state(each) }));
        const { uuid } = by[chance % by.length]!;
        const rest = by.filter((each) => each.uuid !== uuid).map(({ each }) => each);
        graph.delete(uuid, stated[0]!.isSingle);
        // What was ended in between and said again is two facts, whose periods may meet now.
        for (const at of [...DAYS, 900]) expect(new Set(graph.answers(at)), `at ${at}`).toEqual(new Set(answersAt(rest, at)));
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
});
