import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeLineLists } from '../../src/note/merge/merge-lines.ts';
import type { MergedLines } from '../../src/note/merge/merge-lines.ts';
import { randomOf } from '../support/random.ts';

type Lines = readonly string[];

const conflictsOf = (merged: readonly MergedLines[]) => merged.flatMap((stretch) => (stretch.kind === 'conflict' ? [stretch.sides] : []));
/** The lines when every conflict is decided for one side. */
const decided = (merged: readonly MergedLines[], side: 'ours' | 'theirs'): Lines =>
  merged.flatMap((stretch) => (stretch.kind === 'agreed' ? stretch.lines : stretch.sides[side]));

describe('merging lists of lines', () => {
  it('takes edits of both sides that are apart', () => {
    const base = ['a', 'b', 'c', 'd', 'e', 'f'];
    const merged = mergeLineLists({ base, ours: ['new', 'a', 'b', 'd', 'e', 'f'], theirs: ['a', 'b', 'c', 'd', 'E', 'f', 'end'] });
    expect(conflictsOf(merged)).toEqual([]);
    expect(decided(merged, 'ours')).toEqual(['new', 'a', 'b', 'd', 'E', 'f', 'end']);
  });

  it('holds what each side has for a stretch that both changed, also where one edit of a side meets two of the other', () => {
    const merged = mergeLineLists({
      base: ['a', 'b', 'c', 'd', 'e', 'z'],
      ours: ['a', 'B', 'c', 'D', 'e', 'z'],
      theirs: ['a', 'x', 'y', 'e', 'z'],
    });
    expect(conflictsOf(merged)).toEqual([{ base: ['b', 'c', 'd'], ours: ['B', 'c', 'D'], theirs: ['x', 'y'] }]);
    expect(decided(merged, 'ours')).toEqual(['a', 'B', 'c', 'D', 'e', 'z']);
    expect(decided(merged, 'theirs')).toEqual(['a', 'x', 'y', 'e', 'z']);
  });

  it('what each line became is kept, whichever lines they are and however often they stand there', () => {
    const line = fc.constantFrom('replace', 'remove', 'add', 'keep');
    const side = fc.array(line, { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 24, maxLength: 24 }), side, side, (texts, mine, yours) => {
        // A side may touch only every other of the stretches of three, so that no edit is next to one of the other side.
        const base = texts.map((text, index) => `${index} ${text}`);
        const edit = (acts: Lines, turn: number, name: string) => (text: string, index: number) => {
          const act = Math.floor(index / 3) % 2 === turn && index % 3 === 1 ? acts[index] : 'keep';
          return act === 'keep' ? [text] : act === 'remove' ? [] : act === 'add' ? [text, name] : [name];
        };
        const [ours, theirs] = [edit(mine, 0, 'ours'), edit(yours, 1, 'theirs')];
        const merged = mergeLineLists({ base, ours: base.flatMap(ours), theirs: base.flatMap(theirs) });
        expect(conflictsOf(merged)).toEqual([]);
        expect(decided(merged, 'ours')).toEqual(
          base.flatMap((text, index) => (Math.floor(index / 3) % 2 === 0 ? ours : theirs)(text, index)),
        );
      }),
    );
  });

  it('a side that changed nothing has no say, and no line of a side is lost from a conflict', () => {
    const any: fc.Arbitrary<Lines> = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(any, any, any, (base, ours, theirs) => {
        expect(decided(mergeLineLists({ base, ours, theirs: base }), 'ours')).toEqual(ours);
        expect(decided(mergeLineLists({ base, ours: base, theirs }), 'ours')).toEqual(theirs);
        expect(conflictsOf(mergeLineLists({ base, ours, theirs: ours }))).toEqual([]);
        const merged = mergeLineLists({ base, ours, theirs });
        const one = mergeLineLists({ base: theirs, ours: theirs, theirs: ours });
        expect(decided(one, 'ours')).toEqual(ours);
        const made = (side: Lines): Lines => side.filter((text) => !base.includes(text));
        expect(decided(merged, 'ours')).toEqual(expect.arrayContaining([...made(ours)]));
        expect(decided(merged, 'theirs')).toEqual(expect.arrayContaining([...made(theirs)]));
      }),
    );
  });

  it('F54 more edits than can be looked for are one conflict, which holds both sides', () => {
    const random = randomOf('letters');
    const letters = (): Lines => Array.from({ length: 20_000 }, () => random.pick(['a', 'b']));
    const [base, ours, theirs] = [letters(), letters(), letters()];
    const merged = mergeLineLists({ base: ['first', ...base], ours: ['first', ...ours], theirs: ['first', ...theirs] });
    expect(conflictsOf(merged)).toHaveLength(1);
    expect(decided(merged, 'ours')).toEqual(['first', ...ours]);
    expect(decided(merged, 'theirs')).toEqual(['first', ...theirs]);
  });
});
