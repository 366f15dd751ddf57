import { expect, it } from 'vitest';
import { Entry, toFields } from '../../../src/graph/entry.ts';
import type { NoteEntry } from '../../../src/graph/view.ts';
import { parseNote } from '../../../src/note/parse.ts';
import { toNotePath } from '../../../src/note/path.ts';
import { hashOf } from '../../../src/store/folder/hash.ts';
import { shortHash } from '../../../src/store/records/history-event.ts';
import { openExternalEdits } from '../../../src/vault/plan/external-edits.ts';

const stamp = { size: 0, mtimeNs: 0n, ctimeNs: 0n, ino: 0n };

function entryOf(text: string): NoteEntry {
  const note = parseNote(toNotePath('a.md')!, text);
  return new Entry(toFields(note, { stamp, hash: hashOf(Buffer.from(text)) }), { read: () => note.frontmatter.data });
}

it('S1-88 what a person changes in a note that roux made is told property by property, also where the file was seen before the write was told of', async () => {
  const [made, edited] = [entryOf('---\nresolved: false\n---\n'), entryOf('---\nresolved: true\n---\nmore\n')];
  const edits = openExternalEdits({ log: { info: () => undefined, warn: () => undefined, error: () => undefined } });
  edits.follow([{ before: null, after: made }]);
  const event = {
    seq: 1,
    timestamp: '2026-01-01T00:00:00.000Z',
    node: 'a.md',
    path: 'a.md',
    agent: 'ada',
    action: 'created' as const,
    changes: [],
  };
  edits.learn([{ ...event, hash: shortHash(made.hash) }]);
  edits.follow([{ before: made, after: edited }]);
  const seen = await edits.preview({ read: () => Promise.resolve(null), tail: () => [] }, { firstSeq: 2, timestamp: '' });
  expect(seen.map(({ changes }) => changes)).toEqual([[{ field: 'resolved', before: false, after: true }]]);
  edits.follow([{ before: edited, after: null }]);
  const gone = await edits.preview({ read: () => Promise.resolve(null), tail: () => [] }, { firstSeq: 2, timestamp: '' });
  expect(gone.map(({ changes }) => changes)).toEqual([[{ field: 'file', before: 'a.md', after: null }]]);
});

it('a note that roux made and somebody removed before anything was recorded is told as removed', async () => {
  const made = entryOf('text\n');
  const edits = openExternalEdits({ log: { info: () => undefined, warn: () => undefined, error: () => undefined } });
  edits.follow([{ before: null, after: made }]);
  const event = {
    seq: 1,
    timestamp: '2026-01-01T00:00:00.000Z',
    node: 'a.md',
    path: 'a.md',
    agent: 'ada',
    action: 'created' as const,
    changes: [],
  };
  edits.learn([{ ...event, hash: shortHash(made.hash) }]);
  edits.follow([{ before: made, after: null }]);
  const seen = await edits.preview({ read: () => Promise.resolve(null), tail: () => [] }, { firstSeq: 2, timestamp: '' });
  expect(seen.map(({ changes }) => changes)).toEqual([[{ field: 'file', before: 'a.md', after: null }]]);
});
