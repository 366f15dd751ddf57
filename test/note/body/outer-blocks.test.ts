import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { readOuterBlocks } from '../../../src/note/body/outer-blocks.ts';
import { applyChanges } from '../../../src/note/edit.ts';
import { parseMarkdown } from '../../../src/note/markdown/markdown-tree.ts';
import { BlockScanner, scan } from '../../../src/note/markdown/scan.ts';
import { lineStart } from '../../../src/note/text.ts';
import { runs } from '../../support/effort.ts';
import { markdownArbitrary } from '../markdown/markdown-arbitrary.ts';

it('X-08 items are those of the full Markdown parser, each with the lines that it gives them', () => {
  fc.assert(
    fc.property(markdownArbitrary, (text) => {
      const { isCertain, limit } = scan(text);
      if (!isCertain || limit !== null) return;
      const bom = text.startsWith('\ufeff') ? 1 : 0;
      const lists = parseMarkdown(text).children.flatMap((node) => (node.type === 'list' ? node.children : []));
      const wanted = lists.map(({ position }) => {
        const start = Math.max(bom, lineStart(text, (position?.start.offset ?? 0) + bom));
        return { start, said: text.slice(start, (position?.end.offset ?? 0) + bom).trimEnd() };
      });
      const items = readOuterBlocks(text).items.map(({ start, end }) => ({ start, said: text.slice(start, end).trimEnd() }));
      expect(items).toEqual(wanted);
    }),
    { numRuns: runs(400) },
  );
});

it.each(['add-line', 'drop-line'] as const)('X-27 fifty changes of the kind %s read a note as often as one does', (op) => {
  const rows = Array.from({ length: 500 }, (_, index) => `- observation ${index}\n`);
  const text = `## Observations\n\n${rows.join('')}`;
  const looks = (count: number): number => {
    const spy = vi.spyOn(BlockScanner.prototype, 'scan');
    const changes = Array.from({ length: count }, (_, index) => ({ op, section: 'Observations', line: `observation ${index}` }));
    const { changed } = applyChanges('a.md', text, changes);
    expect(changed).toBe(true);
    const { length } = spy.mock.calls;
    spy.mockRestore();
    return length;
  };
  expect(looks(1)).toBeGreaterThan(0);
  expect(looks(50)).toBe(looks(1));
});
