import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Entry, toFields } from '../../../src/graph/entry.ts';
import { Hubs } from '../../../src/graph/links/hubs.ts';
import type { Hub } from '../../../src/graph/links/hubs.ts';
import { PropertyReader } from '../../../src/graph/properties.ts';
import { runs } from '../../support/effort.ts';
import { fileFacts, noteOf } from '../graph-of.ts';

const entries = Array.from({ length: 12 }, (_, id) => new Entry(toFields(noteOf(`${id}.md`, ''), fileFacts()), new PropertyReader()));
const inOrder = (a: Hub, b: Hub): number => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1);

describe('hubs that are kept', () => {
  it('are those that counting all of them gives, after any changes, and count what changed only', () => {
    const change = fc.record({ id: fc.nat({ max: 11 }), score: fc.option(fc.nat({ max: 6 })) });
    const round = fc.record({ changes: fc.array(change, { maxLength: 6 }), limit: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 12 }), (rounds) => {
        const scores = new Map<number, number>();
        const read = (id: number): Hub | null => {
          const score = scores.get(id);
          return score === undefined ? null : { entry: entries[id]!, score };
        };
        const hubs = new Hubs(read, 4);
        for (const { changes, limit } of rounds) {
          for (const { id, score } of changes) {
            if (score === null) scores.delete(id);
            else scores.set(id, score);
            hubs.touch(id);
          }
          const all = [...scores.keys()].flatMap((id) => read(id) ?? []).sort(inOrder);
          expect(hubs.first(limit, entries.length)).toEqual(all.slice(0, limit));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('reads one note again where one changed, of however many', () => {
    let reads = 0;
    const many = 5_000;
    const hubs = new Hubs((id) => {
      reads += 1;
      return { entry: entries[id % 12]!, score: id };
    });
    hubs.first(10, many);
    expect(reads).toBe(many);
    hubs.touch(7);
    hubs.first(10, many);
    expect(reads).toBe(many + 1);
  });
});
