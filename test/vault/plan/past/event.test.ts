import { describe, expect, it } from 'vitest';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import type { NoteChange } from '../../../../src/note/change.ts';
import { deriveEvents } from '../../../../src/vault/plan/event.ts';
import type { TwoSides } from '../../../../src/vault/plan/event.ts';
import type { PlannedEvent } from '../../../../src/vault/plan/plan.ts';

const inPlace = (before: string | null, after: string | null): TwoSides => ({ pathBefore: 'a.md', pathAfter: 'a.md', before, after });

function eventsOf(sides: TwoSides, more: { changes?: readonly NoteChange[]; named?: readonly PlannedEvent[]; path?: string } = {}) {
  return deriveEvents(sides, { changes: more.changes ?? null, named: more.named ?? [], path: more.path ?? sides.pathAfter ?? 'a.md' });
}

const body = (text: string) => ({ hash: hashOf(text), size: Buffer.byteLength(text), text });

describe('X-18 the event of one file', () => {
  it.each<[string, TwoSides, string]>([
    ['a new file', { pathBefore: null, pathAfter: 'a.md', before: null, after: 'A\n' }, 'created'],
    ['a removed one', { pathBefore: 'a.md', pathAfter: null, before: 'A\n', after: null }, 'deleted'],
    ['another name in its folder', { pathBefore: 'x/a.md', pathAfter: 'x/b.md', before: '', after: '' }, 'renamed'],
    ['another folder', { pathBefore: 'x/a.md', pathAfter: 'y/a.md', before: '', after: '' }, 'moved'],
    ['an edit', inPlace('A\n', 'B\n'), 'updated'],
    ['resolved', inPlace('A\n', '---\nresolved: true\n---\nA\n'), 'resolved'],
    ['resolved from false', inPlace('---\nresolved: false\n---\n', '---\nresolved: true\n---\n'), 'resolved'],
    ['reopened', inPlace('---\nresolved: true\n---\nA\n', 'A\n'), 'reopened'],
    ['edited while resolved', inPlace('---\nresolved: true\n---\nA\n', '---\nresolved: true\n---\nB\n'), 'updated'],
    ['resolved by a word that is not true', inPlace('A\n', '---\nresolved: "true"\n---\nA\n'), 'updated'],
  ])('%s', (_, sides, action) => {
    expect(eventsOf(sides).map((event) => event.action)).toEqual([action]);
  });

  it('is about the id of the note, as it is now, else as it was, else about its path', () => {
    const nodeOf = (before: string, after: string | null) =>
      eventsOf({ pathBefore: 'a.md', pathAfter: after === null ? null : 'b.md', before, after })[0]?.node;
    expect(nodeOf('---\nid: old\n---\n', '---\nid: new\n---\n')).toBe('new');
    expect(nodeOf('---\nid: old\n---\n', 'A\n')).toBe('old');
    expect(nodeOf('---\nid: old\n---\n', null)).toBe('old');
    expect(nodeOf('---\nid: ""\n---\n', '---\nid: 7\n---\n')).toBe('b.md');
    expect(nodeOf('A\n', null)).toBe('a.md');
    expect(eventsOf({ pathBefore: null, pathAfter: null, before: null, after: null })[0]).toMatchObject({ node: '', path: '' });
  });

  it('names each property that differs, but neither rev nor updated_at', () => {
    const before = '---\nsame: 1\nchanged: 1\ngone: [x]\nrev: 1\nupdated_at: 2026-01-01\n---\nA\n';
    const after = '---\nsame: 1\nchanged: 2\nadded: y\nrev: 2\nupdated_at: 2026-01-02\n---\nA\n';
    expect(eventsOf(inPlace(before, after))[0]?.changes).toEqual([
      { field: 'changed', before: 1, after: 2 },
      { field: 'gone', before: ['x'], after: null },
      { field: 'added', before: null, after: 'y' },
    ]);
    expect(eventsOf(inPlace(before, before))[0]?.changes).toEqual([]);
  });

  it('has the body with its text below 4 KB, from there on as hash and size', () => {
    expect(eventsOf(inPlace('---\na: 1\n---\nOld\n', '---\na: 1\n---\nNé\n'))[0]?.changes).toEqual([
      { field: 'body', before: body('Old\n'), after: body('Né\n') },
    ]);
    const [longest, long] = ['é'.repeat(2047) + 'x', 'é'.repeat(2048)];
    expect(eventsOf(inPlace(longest, long))[0]?.changes).toEqual([
      { field: 'body', before: body(longest), after: { hash: hashOf(long), size: 4096 } },
    ]);
  });

  it('a new note has its body if there is one; a removed one has it and the notes that link to it', () => {
    const created = (after: string) => eventsOf({ pathBefore: null, pathAfter: 'a.md', before: null, after })[0]?.changes;
    expect(created('---\na: 1\n---\n \n')).toEqual([{ field: 'a', before: null, after: 1 }]);
    expect(created('A\n')).toEqual([{ field: 'body', before: null, after: body('A\n') }]);
    const removed = (linkedFrom?: readonly string[]) =>
      eventsOf({ pathBefore: 'a.md', pathAfter: null, before: '---\na: 1\n---\nA\n', after: null, ...(linkedFrom && { linkedFrom }) })[0]
        ?.changes;
    const fields = [
      { field: 'a', before: 1, after: null },
      { field: 'body', before: body('A\n'), after: null },
    ];
    expect(removed()).toEqual(fields);
    expect(removed([])).toEqual(fields);
    expect(removed(['b.md'])).toEqual([...fields, { field: 'linked_from', before: ['b.md'], after: null }]);
    // An emptied body is a change of it.
    expect(eventsOf(inPlace('A\n', ''))[0]?.changes).toEqual([{ field: 'body', before: body('A\n'), after: body('') }]);
    expect(eventsOf(inPlace('', 'A\n'))[0]?.changes).toEqual([{ field: 'body', before: body(''), after: body('A\n') }]);
  });

  it('of a move begins with its paths; of a file that is no note has nothing else', () => {
    expect(eventsOf({ pathBefore: 'a.md', pathAfter: 'b.md', before: '---\nx: 1\n---\n', after: '---\nx: 2\n---\n' })[0]).toMatchObject({
      path: 'b.md',
      changes: [
        { field: 'path', before: 'a.md', after: 'b.md' },
        { field: 'x', before: 1, after: 2 },
      ],
    });
    expect(eventsOf({ pathBefore: 'a.png', pathAfter: 'b/a.png', before: null, after: null })).toEqual([
      { node: 'b/a.png', path: 'b/a.png', action: 'moved', changes: [{ field: 'path', before: 'a.png', after: 'b/a.png' }] },
    ]);
  });

  it('has the links and tags that a rename changed in a body, and not the body', () => {
    const relink: NoteChange = { op: 'relink', links: [{ link: 'old', form: 'wikilink', to: 'new' }] };
    const retag: NoteChange = { op: 'retag', tags: [{ from: 'x', to: 'y' }] };
    const touch: NoteChange = { op: 'touch', at: '' };
    const sides = inPlace('[[old]] #x\n', '[[new]] #y\n');
    const fieldsOf = (changes: readonly NoteChange[]) => eventsOf(sides, { changes })[0]?.changes;
    const links = { field: 'links', before: ['old'], after: ['new'] };
    const tags = { field: 'inline tags', before: ['x'], after: ['y'] };
    expect(fieldsOf([relink, touch])).toEqual([links]);
    expect(fieldsOf([retag])).toEqual([tags]);
    expect(fieldsOf([relink, retag])).toEqual([links, tags]);
    const whole = [{ field: 'body', before: body('[[old]] #x\n'), after: body('[[new]] #y\n') }];
    expect(fieldsOf([])).toEqual(whole);
    expect(fieldsOf([relink, { op: 'set', key: ['a'], value: 1 }])).toEqual(whole);
  });
});

describe('X-18 events that a plan names', () => {
  const sides = inPlace('---\nid: n\nx: 1\n---\n', '---\nid: n\nx: 2\n---\n');
  const derived = [{ field: 'x', before: 1, after: 2 }];

  it('take the place of the derived one, and get its node and changes where they have none', () => {
    const changes = [{ field: 'merged_from', before: null, after: 'm' }];
    const named: readonly PlannedEvent[] = [
      { path: 'a.md', action: 'merged', changes },
      { path: 'other', action: 'connected', node: 'given' },
    ];
    expect(eventsOf(sides, { named, path: 'p.md' })).toEqual([
      { node: 'n', path: 'p.md', action: 'merged', changes },
      { node: 'given', path: 'p.md', action: 'connected', changes: derived },
    ]);
    expect(eventsOf(sides)).toEqual([{ node: 'n', path: 'a.md', action: 'updated', changes: derived }]);
  });
});
