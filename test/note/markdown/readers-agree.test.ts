import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import { applyChanges } from '../../../src/note/edit.ts';
import { bodyStartOf } from '../../../src/note/frontmatter/read-frontmatter.ts';
import { encodeDestination } from '../../../src/note/markdown/link-text.ts';
import { readMarkdown } from '../../../src/note/markdown/read-markdown.ts';
import { scan } from '../../../src/note/markdown/scan.ts';
import type { Link } from '../../../src/note/note.ts';
import { applySplices } from '../../../src/note/text.ts';
import { runs, sample } from '../../support/effort.ts';
import { notesOf, vaults } from '../../support/vaults.ts';
import { markdownArbitrary } from './markdown-arbitrary.ts';

it('the scanner, where it is certain, reads generated Markdown as the full parser does', () => {
  fc.assert(
    fc.property(markdownArbitrary, (text) => {
      const scanned = scan(text);
      if (!scanned.isCertain || scanned.limit !== null) return;
      expect(scanned).toEqual(readMarkdown(text));
    }),
    { numRuns: runs(400) },
  );
});

it.each(['[[word\t]]', '[[\tword]]', '![[a\t\tb\t|c\t]]\t#tag', '- \t[[a\t]]', '[[a\t'])(
  'tabs in and around a wikilink leave its place right: %j',
  (text) => {
    const { isCertain: _, ...scanned } = scan(text);
    expect(readMarkdown(text)).toMatchObject(scanned);
  },
);

it('code spans end where the full parser ends them, whatever runs of backticks are left open before', () => {
  const word = fc.oneof(
    fc.integer({ min: 1, max: 9 }).map((length) => '`'.repeat(length)),
    fc.constantFrom('[[a]]', '#tag', 'word', '[b](c.md)'),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 8, maxLength: 40 }), (words) => {
      const text = `x ${words.join(' ')}\n`;
      const scanned = scan(text);
      if (!scanned.isCertain || scanned.limit !== null) return;
      expect(scanned).toEqual(readMarkdown(text));
    }),
    { numRuns: runs(600) },
  );
});

it('a rename writes into generated Markdown what places by the full parser would give, or refuses', () => {
  let rewritten = 0;
  fc.assert(
    fc.property(markdownArbitrary, fc.constantFrom('New', "N é (1) 'x", 'dir/New.md'), (text, to) => {
      const links = readMarkdown(text).links;
      const renamed = renameAll(text, links, to);
      rewritten += renamed === null ? 0 : links.length;
      expect([null, renameByParser(text, links, to)]).toContain(renamed);
    }),
    { numRuns: runs(400) },
  );
  expect(rewritten).toBeGreaterThan(runs(250));
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
    { numRuns: runs(100) },
  );
});

for (const vault of vaults) {
  it.skipIf(!vault.isThere)(`both read the notes of ${vault.name} alike`, () => {
    // A full parse of all real notes takes a minute.
    for (const { file, text } of sample(notesOf(vault), vault.isReal ? 60 : 1).filter(isCertain)) {
      const parsed = readMarkdown(text);
      expect({ file, ...scan(text) }).toEqual({ file, ...parsed });
      const renamed = renameAll(text, parsed.links, 'New é (1)');
      expect([null, renameByParser(text, parsed.links, 'New é (1)')], file).toContain(renamed);
    }
  });
}

it('few notes need the full parser', () => {
  const notes = vaults.flatMap(notesOf);
  expect(notes.filter((note) => !isCertain(note)).length / notes.length).toBeLessThan(0.05);
});

function isCertain({ text }: { readonly text: string }): boolean {
  const scanned = scan(text);
  return scanned.isCertain && scanned.limit === null;
}

/** The body with every link of it renamed, as a rename does it; null where that is refused. */
function renameAll(text: string, links: readonly Link[], to: string): string | null {
  const relinks = links.map(({ link, form }) => ({ link, form, to }));
  try {
    return bodyOf(applyChanges('a.md', text, [{ op: 'relink', links: relinks }]).text);
  } catch (error) {
    if (error instanceof RouxError) return null;
    throw error;
  }
}

/** The same by the places that the full parser gives. */
function renameByParser(text: string, links: readonly Link[], to: string): string {
  const splices = links.map(({ form, target: { start, end } }) => {
    const isAngled = text[start - 1] === '<' && text[end] === '>';
    return { start, end, text: form === 'wikilink' ? to : encodeDestination(to, isAngled) };
  });
  return bodyOf(applySplices(text, splices));
}

function bodyOf(text: string): string {
  return text.slice(bodyStartOf(text));
}
