import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHAIN_START, chainLine, readMark } from '../../../src/store/records/line-chain.ts';
import { packLines } from '../../../src/store/records/compact/packed-lines.ts';
import { linesOf } from '../../../src/store/records/segment-lines.ts';

it('H-21 a line says what the line before it was, and shows when one character of it is another', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), fc.constantFrom('x', '0', '"', '\\'), (value, at, character) => {
      const line = chainLine({ seq: 1, ...value }, CHAIN_START);
      const mark = readMark(line.text);
      expect(mark).toEqual({ before: CHAIN_START, sum: line.sum, isIntact: true });
      const place = at % line.text.length;
      const altered = line.text.slice(0, place) + character + line.text.slice(place + 1);
      const found = readMark(altered);
      expect(found.isIntact && found.before === CHAIN_START && found.sum === line.sum).toBe(altered === line.text);
      const { chain: _, ...back } = JSON.parse(line.text) as Record<string, unknown>;
      expect(JSON.stringify(back)).toBe(JSON.stringify({ seq: 1, ...value }));
    }),
  );
});

it('H-20 lines come out of a pack as they went in, whatever they hold', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '))), async (lines) => {
      const text = lines.map((line) => `${line}\n`).join('');
      const packed = (await packLines(Buffer.from(text))).toString('utf8');
      expect([...linesOf(packed)].join('\n').replace(/\n+$/, '\n')).toBe(text.replace(/\n+$/, '\n'));
    }),
  );
});
