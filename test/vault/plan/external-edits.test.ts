import { describe, expect, it } from 'vitest';
import { Entry, toFields } from '../../../src/graph/entry.ts';
import type { GraphChange, NoteEntry } from '../../../src/graph/view.ts';
import { parseNote } from '../../../src/note/parse.ts';
import { toNotePath } from '../../../src/note/path.ts';
import type { HistoryEvent } from '../../../src/store/records/history-event.ts';
import { hashOf } from '../../../src/store/folder/hash.ts';
import { shortHash } from '../../../src/store/records/history-event.ts';
import { ExternalEdits } from '../../../src/vault/plan/external-edits.ts';

const stamp = { size: 0, mtimeNs: 0n, ctimeNs: 0n, ino: 0n };

function entryOf(text: string, path = 'a.md'): NoteEntry {
  const note = parseNote(toNotePath(path)!, text);
  return new Entry(toFields(note, { stamp: { ...stamp, size: text.length }, hash: hashOf(Buffer.from(text)) }), {
    read: () => note.frontmatter.data,
  });
}

/** Edits of others, after the file of a write of roux was seen, and only then the write was told of. */
function editsAfter(made: NoteEntry) {
  const edits = new ExternalEdits({ log: { info: () => undefined, warn: () => undefined, error: () => undefined } }, { get: () => null });
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
  edits.applyEvents([{ ...event, hash: shortHash(made.hash) }]);
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

describe('H-13 a note that another process moved, and a person renamed from there', () => {
  const moved = (hash: string): HistoryEvent => ({
    seq: 1,
    timestamp: '2026-01-01T00:00:00.000Z',
    node: 'b.md',
    path: 'b.md',
    agent: 'ada',
    action: 'renamed',
    changes: [{ field: 'path', before: 'a.md', after: 'b.md' }],
    batch: '1',
    hash: shortHash(hash),
  });
  const before = entryOf('text\n');
  const after = (path: string): NoteEntry => entryOf('---\naliases: [a]\n---\ntext\n', path);
  const event = moved(after('b.md').hash);

  /** What this process may see of it, in which order it hears of it. */
  const seen: readonly { what: string; steps: readonly (GraphChange | 'history')[] }[] = [
    { what: 'the last place only', steps: [{ before, after: after('c.md') }, 'history'] },
    { what: 'the last place, after the history', steps: ['history', { before, after: after('c.md') }] },
    { what: 'that it went, then that it came', steps: [{ before, after: null }, { before: null, after: after('c.md') }, 'history'] },
    { what: 'that it came, then that it went', steps: [{ before: null, after: after('c.md') }, { before, after: null }, 'history'] },
    { what: 'both, with the history in between', steps: [{ before, after: null }, 'history', { before: null, after: after('c.md') }] },
    {
      what: 'each place',
      steps: [{ before, after: after('b.md') }, 'history', { before: after('b.md'), after: after('c.md') }],
    },
    {
      what: 'each place, not as one note',
      steps: [{ before, after: null }, { before: null, after: after('b.md') }, 'history', { before: after('b.md'), after: after('c.md') }],
    },
    {
      what: 'each place, and that it went from each',
      steps: [
        { before, after: null },
        { before: null, after: after('b.md') },
        'history',
        { before: after('b.md'), after: null },
        { before: null, after: after('c.md') },
      ],
    },
  ];

  it.each(seen)('where this process saw $what: one event, from the place that the other process gave it', async ({ steps }) => {
    const edits = new ExternalEdits({ log: { info: () => undefined, warn: () => undefined, error: () => undefined } }, { get: () => null });
    for (const step of steps) {
      if (step === 'history') edits.applyEvents([event]);
      else edits.follow([step]);
    }
    const events = await edits.preview({ read: () => Promise.resolve(null), tail: () => [] }, { firstSeq: 2, timestamp: '' });
    expect(events.map(({ path, changes }) => ({ path, changes }))).toEqual([
      { path: 'c.md', changes: [{ field: 'path', before: 'b.md', after: 'c.md' }] },
    ]);
  });
});

describe('H-12 a person changes a note', () => {
  const fieldsOf = async (before: string, after: string) => {
    const [was, is] = [entryOf(before), entryOf(after)];
    const edits = new ExternalEdits({ log: { info: () => undefined, warn: () => undefined, error: () => undefined } }, { get: () => null });
    edits.follow([{ before: was, after: is }]);
    const bytes = Buffer.from(after);
    const state = { ...stamp, size: bytes.length, mode: 0, uid: 0, gid: 0, links: 1, birthNs: 0n, dev: 0n, kind: 'file' as const };
    const read = () => Promise.resolve({ path: 'a.md', bytes, hash: is.hash, state, isLinked: false });
    const events = await edits.preview({ read: read as never, tail: () => [] }, { firstSeq: 1, timestamp: '' });
    return events.flatMap(({ changes }) => changes.map(({ field }) => field));
  };

  it.each([
    ['a property', '---\na: 1\n---\nText\n', '---\na: 2\n---\nText\n', ['a']],
    ['a property and the body', '---\na: 1\n---\nText\n', '---\na: 2\n---\nOther\n', ['a', 'body']],
    ['the body', '---\na: 1\n---\nText\n', '---\na: 1\n---\nMore\n', ['body']],
    ['a note that had no frontmatter', 'Text\n', '---\na: 1\n---\nText\n', ['a']],
    ['a note that had no frontmatter, and its body', 'Text\n', '---\na: 1\n---\nText!\n', ['a', 'body']],
    ['the frontmatter, which it takes out', '---\r\na: 1\r\n---\r\nText\r\n', 'Text\r\n', ['a']],
    ['lines of Windows', '---\r\na: 1\r\n---\r\nText\r\n', '---\r\na: 2\r\nb: 3\r\n---\r\nText\r\n', ['a', 'b']],
  ])('H-12 %s: all of it is in the history, and nothing else', async (_, before, after, fields) => {
    expect(await fieldsOf(before, after)).toEqual(fields);
  });
});
