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
  const notes = files.sort().map((name) => ({ name, text: readFileSync(join(vaults, name), 'utf8') }));
  const uncertain = notes.filter(({ text }) => !scan(text).isCertain || scan(text).limit !== null);
  // Every fifth, and all that are short: a full parse of all of them takes a minute.
  const compared = notes.filter((note, index) => !uncertain.includes(note) && (index % 5 === 0 || note.text.length < 1500));
  for (const { name, text } of compared) expect({ name, ...scan(text) }).toEqual({ name, ...readMarkdown(text) });
  expect(uncertain.length / files.length).toBeLessThan(0.05);
});
