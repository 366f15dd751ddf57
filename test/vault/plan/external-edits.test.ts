import { describe, expect, it } from 'vitest';
import { Entry, toFields } from '../../../src/graph/entry.ts';
import type { GraphChange, NoteEntry } from '../../../src/graph/view.ts';
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

/** Edits of others, after the file of a write of roux was seen, and only then the write was told of. */
function editsAfter(made: NoteEntry) {
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
  const seen = async () => {
    const events = await edits.preview({ read: () => Promise.resolve(null), tail: () => [] }, { firstSeq: 2, timestamp: '' });
    return events.map(({ changes }) => changes);
  };
  return { follow: (changes: readonly GraphChange[]) => edits.follow(changes), seen };
}

describe('S1-88 a note that roux made, where its file was seen before the write was told of', () => {
  it('what a person changes in it is told property by property, and that it was removed then', async () => {
    const [made, edited] = [entryOf('---\nresolved: false\n---\n'), entryOf('---\nresolved: true\n---\nmore\n')];
    const { follow, seen } = editsAfter(made);
    follow([{ before: made, after: edited }]);
    expect(await seen()).toEqual([[{ field: 'resolved', before: false, after: true }]]);
    follow([{ before: edited, after: null }]);
    expect(await seen()).toEqual([[{ field: 'file', before: 'a.md', after: null }]]);
  });

  it('that it was removed at once is told', async () => {
    const made = entryOf('text\n');
    const { follow, seen } = editsAfter(made);
    follow([{ before: made, after: null }]);
    expect(await seen()).toEqual([[{ field: 'file', before: 'a.md', after: null }]]);
  });
});
