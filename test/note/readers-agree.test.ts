import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { readMarkdown } from '../../src/note/markdown.ts';
import { scan } from '../../src/note/scan.ts';
import { markdownArbitrary } from './markdown-arbitrary.ts';

const vaults = fileURLToPath(new URL('../../../shared/vaults', import.meta.url));

it('the scanner, where it is certain, reads generated Markdown as the full parser does', () => {
  fc.assert(
    fc.property(markdownArbitrary, (text) => {
      const scanned = scan(text);
      if (!scanned.isCertain || scanned.limit !== null) return;
      expect(scanned).toEqual(readMarkdown(text));
    }),
    { numRuns: 1500 },
  );
});

it('reading any text ends without an error and with spans inside it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      for (const found of [scan(text), readMarkdown(text)]) {
        for (const { start, end } of [...found.links, ...found.tagUses, ...found.headings, ...found.blocks]) {
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(text.length);
        }
      }
    }),
    { numRuns: 300 },
  );
});

it.skipIf(!existsSync(vaults))('both read real notes alike, and few need the full parser', () => {
  const files = readdirSync(vaults, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  let uncertain = 0;
  for (const [index, name] of files.sort().entries()) {
    const text = readFileSync(join(vaults, name), 'utf8');
    const scanned = scan(text);
    if (!scanned.isCertain || scanned.limit !== null) uncertain += 1;
    // Every fifth, and all that are short: a full parse of all of them takes a minute.
    else if (index % 5 === 0 || text.length < 1500) expect({ name, ...scanned }).toEqual({ name, ...readMarkdown(text) });
  }
  expect(uncertain / files.length).toBeLessThan(0.05);
});
