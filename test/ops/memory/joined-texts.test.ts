import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinTexts } from '../../../src/ops/memory/joined-texts.ts';

it('S4-09 a part is found in the texts that hold it, in their order, and never across two of them', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'ß', '😀'), maxLength: 8 });
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('a', 'b', '\n', '😀'), maxLength: 3 }),
      (texts, part) => {
        const held = texts.flatMap((each, at) => (each.includes(part) ? [at] : []));
        expect(joinTexts(texts).containing(part)).toEqual(held);
      },
    ),
    { numRuns: 2_000 },
  );
});
