import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { whyMisread } from '../../../src/note/body/verify-edit.ts';
import type { PartSplice } from '../../../src/note/body/verify-edit.ts';
import { InlineScanner } from '../../../src/note/markdown/inline.ts';
import { applySplices } from '../../../src/note/text.ts';
import { isLong } from '../../support/effort.ts';
import { isMisreadPlainly } from './misread-plainly.ts';

/** Lines that open, close or hold something, some of them far from where they end. */
const OPENING = ['# One', '## Observations', '- [fact] seen #tag', '  more [[Link]]', '1. item', '> quoted #q', '```', '~~~', '$$', '$$ x'];
const CLOSING = ['x $$', '<div>', '<!--', '-->', '$$', '', '', '', '---', '===', '%%', 'a\\'];
const HOLDING = ['[[Link]] #tag', '[[Other]]', 'text ^id', '| a |', '|---|', '    [[code]]', '\ttab', '[ref]: a.md'];
const line = fc.constantFrom(...OPENING, ...CLOSING, ...HOLDING);
const texts = fc
  .tuple(
    fc.constantFrom('', '---\na: 1\n---\n', '\ufeff'),
    fc.array(line, { maxLength: 24 }),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.boolean(),
  )
  .map(([front, lines, eol, isEnded]) => front + lines.join(eol) + (isEnded ? eol : ''));
const bits = fc
  .array(fc.oneof(line, fc.constantFrom('\n', '\n\n', 'x', ' ', '`', '[', ']', '$$', 'x $$')), { maxLength: 4 })
  .map((parts) => parts.join('\n'));

const changes = fc
  .tuple(texts, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 12 }), bits, fc.boolean()), { minLength: 1, maxLength: 3 }))
  .map(([before, given]) => {
    const from = /^(?:---\na: 1\n---\n|\ufeff)/.exec(before)?.[0].length ?? 0;
    const places = given.map(([at, length, text, isLines]) => {
      const start = from + (at % (before.length - from + 1));
      return { start, end: Math.min(before.length, start + length), text, isLines };
    });
    const splices: PartSplice[] = [];
    for (const splice of places.sort((a, b) => a.start - b.start)) {
      if (splice.start >= (splices.at(-1)?.end ?? -1) && splice.start !== splices.at(-1)?.start) splices.push(splice);
    }
    return { before, splices };
  });

it('E-03 what a change would have read otherwise is found as by reading both texts whole', () => {
  const seen = { right: 0, wrong: 0 };
  fc.assert(
    fc.property(changes, ({ before, splices }) => {
      const after = applySplices(before, splices);
      const isMisread = isMisreadPlainly(before, after, splices);
      seen[isMisread ? 'wrong' : 'right'] += 1;
      expect(whyMisread(before, after, splices) !== null).toBe(isMisread);
    }),
    { numRuns: isLong ? 100_000 : 1_500 },
  );
  expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(150);
});

it('a small edit of a long note has only the text around it read for links and tags', () => {
  const body = `## Log\n- x\n\n${'## Part\n\nWords of a paragraph with a [[Link]] and a #tag.\n\n'.repeat(5_000)}`;
  for (const at of [body.indexOf('- x') + 3, body.length >> 1, body.length - 30]) {
    const splices = [{ start: at, end: at + 1, text: 'y', isLines: false }];
    const after = applySplices(body, splices);
    const read = vi.spyOn(InlineScanner.prototype, 'read');
    try {
      whyMisread(body, after, splices);
      expect(read.mock.calls.length).toBeLessThan(20);
    } finally {
      read.mockRestore();
    }
  }
});

it('E-03 math that an edit closes far below is seen', () => {
  const before = '$$\n\n[[Link]]\n\n## Part\n\nwords\n\nmore\n';
  const at = before.indexOf('words') + 'words'.length;
  const splices = [{ start: at, end: at, text: '\n$$', isLines: false }];
  expect(whyMisread(before, applySplices(before, splices), splices)).toContain('[[Link]]');
});
