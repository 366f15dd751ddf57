import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseNote } from '../../../src/note/parse.ts';
import { toNotePath } from '../../../src/note/path.ts';
import { digestOf, episodeText, readEpisodeNote } from '../../../src/ops/knowledge/stored/episode-note.ts';

const PATH = toNotePath('knowledge/g/episodes/2026-01/e.md')!;

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('', '\ud800', '```\n', '\r\n', '# a\n', 'a: b', ' x ', '\ufeff'),
);

it('H-23 what a waiting item is read from has the digest that it was accepted with, when its note is read back', () => {
  fc.assert(
    fc.property(text, text, text, fc.option(fc.jsonValue()), (name, sourceDescription, body, extraction) => {
      const given = { name, sourceDescription, body, source: 'text' as const, referenceTime: '2026-01-01T00:00:00.000Z' };
      const content = { body, extraction: extraction ?? undefined };
      const note = episodeText({
        ...given,
        ...content,
        path: PATH,
        id: 'ep_1',
        uuid: 'ep_1',
        groupId: 'g',
        at: '2026-01-01T00:00:00.000Z',
        agent: 'a',
        ingest: { state: 'accepted', hash: 'h', receipts: [], mark: 'm', error: null, item: 0 },
      });
      // As a file holds it.
      const stored = readEpisodeNote(parseNote(PATH, Buffer.from(note).toString()), { groupId: 'g', modifiedMs: 0 });
      expect(stored.digest).toBe(digestOf(given, content));
    }),
  );
});
