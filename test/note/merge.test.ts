import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NoteChange } from '../../src/note/change.ts';
import { applyChanges } from '../../src/note/edit.ts';
import { bodyStartOf, readFrontmatter } from '../../src/note/frontmatter/read-frontmatter.ts';
import { mergeHistories, mergeNotes } from '../../src/note/merge/merge.ts';
import { runs } from '../support/effort.ts';

const clean = (text: string) => ({ text, conflicts: false });
const edit = (text: string, ...changes: NoteChange[]): string => applyChanges('a.md', text, changes).text;
const read = (text: string): unknown => JSON.parse(JSON.stringify(readFrontmatter(text).data));

describe('merging two changed copies of a note', () => {
  const base = '---\n# about\ntitle: T\ntags: [a, b]\nrev: 3\nupdated_at: 2026-01-01T00:00:00.000Z\n---\nfirst\n\nsecond\n\nthird\n';

  it('keeps changes of different properties and different lines', () => {
    const ours = edit(base, { op: 'set', key: ['resolved'], value: true }).replace('first', 'FIRST');
    const theirs = edit(base, { op: 'set', key: ['title'], value: 'U' }).replace('third', 'THIRD');
    expect(mergeNotes(base, ours, theirs)).toEqual(
      clean(
        '---\n# about\ntitle: U\ntags: [a, b]\nrev: 3\nupdated_at: 2026-01-01T00:00:00.000Z\nresolved: true\n---\nFIRST\n\nsecond\n\nTHIRD\n',
      ),
    );
  });

  it('merges lists as sets, takes the later time and counts the merge', () => {
    const ours = edit(base, { op: 'append', key: ['tags'], value: 'c' }, { op: 'touch', at: '2026-02-02T00:00:00.000Z' });
    const theirs = edit(
      base,
      { op: 'take', key: ['tags'], value: 'a' },
      { op: 'append', key: ['tags'], value: 'd' },
      { op: 'touch', at: '2026-02-03T00:00:00.000Z' },
    );
    const merged = mergeNotes(base, ours, theirs);
    expect(merged.conflicts).toBe(false);
    expect(read(merged.text)).toEqual({ title: 'T', tags: ['b', 'c', 'd'], rev: 5, updated_at: '2026-02-03T00:00:00.000Z' });
    expect(merged.text).toContain('# about\n');
  });

  it('keeps the comments and the layout of both sides where their lines are apart', () => {
    const start = '---\ntitle: T\na: 1\ntags: [a, b]\nb: 2\nrev: 3\n---\nx\n';
    const touch: NoteChange = { op: 'touch', at: '2026-02-02T00:00:00.000Z' };
    const ours = edit(start.replace('title: T', 'title: T # mine'), { op: 'set', key: ['a'], value: 2 }, touch);
    const theirs = edit(start.replace('tags: [a, b]', 'tags:  [a, b] # theirs'), { op: 'append', key: ['tags'], value: 'c' }, touch);
    expect(mergeNotes(start, ours.replace('a: 2', 'a: 1'), theirs)).toEqual(
      clean('---\ntitle: T # mine\na: 1\ntags:  [a, b, c] # theirs\nb: 2\nrev: 5\nupdated_at: 2026-02-02T00:00:00.000Z\n---\nx\n'),
    );
  });

  it('X-10 unites observations below a heading in any case and at any level', () => {
    const start = `${base}\n### OBSERVATIONS\n\n- a\n`;
    expect(mergeNotes(start, `${start}- mine\n`, `${start}- theirs\n`)).toEqual(clean(`${start}- mine\n- theirs\n`));
  });

  it('unites evidence and observations that both sides appended', () => {
    const evidence = (ref: string): NoteChange => ({ op: 'append', key: ['evidence'], value: { type: 'commit', ref } });
    const line = (text: string): NoteChange => ({ op: 'add-line', section: 'Observations', line: text });
    const merged = mergeNotes(base, edit(base, evidence('1'), line('mine')), edit(base, evidence('2'), line('theirs')));
    expect(merged.conflicts).toBe(false);
    expect(read(merged.text)).toMatchObject({
      evidence: [
        { type: 'commit', ref: '1' },
        { type: 'commit', ref: '2' },
      ],
    });
    expect(merged.text).toContain('## Observations\n\n- mine\n- theirs\n');
    const start = edit(base, line('old'), line('gone'));
    const both = mergeNotes(
      start,
      edit(start, line('a'), { op: 'drop-line', section: 'Observations', line: 'gone' }),
      edit(start, line('b')),
    );
    expect(both).toMatchObject({ conflicts: false });
    expect(both.text).toContain('- old\n- a\n- b\n');
  });

  it('keeps ours where both sides gave a property another value, and says so', () => {
    const merged = mergeNotes(base, base.replace('title: T', 'title: A'), base.replace('title: T', 'title: B').replace('first', 'FIRST'));
    expect(merged).toEqual({ text: base.replace('title: T', 'title: A').replace('first', 'FIRST'), conflicts: true });
  });

  it('marks conflicts in the body, and never in the frontmatter', () => {
    const merged = mergeNotes(
      base,
      base.replace('second', 'mine').replace('title: T', 'title: A'),
      base.replace('second', 'yours').replace('title: T', 'title: B'),
    );
    expect(merged.conflicts).toBe(true);
    expect(merged.text).toContain('first\n\n<<<<<<< ours\nmine\n=======\nyours\n>>>>>>> theirs\n\nthird\n');
    expect(readFrontmatter(merged.text).isReadable).toBe(true);
  });

  it('a value that one side changed outlives its removal by the other', () => {
    const merged = mergeNotes(base, edit(base, { op: 'unset', key: ['title'] }), base.replace('title: T', 'title: B'));
    expect(merged.conflicts).toBe(true);
    expect(read(merged.text)).toMatchObject({ title: 'B' });
  });

  it('does not mix frontmatter that cannot be read', () => {
    const broken = '---\n- @x: y\n---\nfirst\n\nsecond\n\nthird\n';
    expect(mergeNotes(base, broken, base.replace('third', 'THIRD'))).toEqual(clean(broken.replace('third', 'THIRD')));
    const merged = mergeNotes(base, broken, base.replace('title: T', 'title: B'));
    expect(merged).toEqual({ text: broken, conflicts: true });
  });

  it('merges copies with other line ends in those of ours', () => {
    const ours = base.replaceAll('\n', '\r\n').replace('first', 'FIRST');
    expect(mergeNotes(base, ours, base.replace('third', 'THIRD'))).toEqual(clean(ours.replace('third', 'THIRD')));
  });

  it('merges two notes that were made under one name', () => {
    const merged = mergeNotes('', '---\nid: x\ntags: [a]\n---\nsame\n', '---\nid: x\ntags: [b]\n---\nsame\n');
    expect(merged).toEqual(clean('---\nid: x\ntags: [a, b]\n---\nsame\n'));
  });

  const text = fc
    .tuple(
      fc.dictionary(
        fc.constantFrom('a', 'b', 'tags', 'rev', 'm'),
        fc.oneof(
          fc.nat(3),
          fc.constantFrom('x', 'y: z', '[[L]]'),
          fc.uniqueArray(fc.constantFrom('p', 'q', 'r'), { maxLength: 3 }),
          fc.record({ k: fc.nat(2), l: fc.nat(2) }, { requiredKeys: [] }),
        ),
      ),
      fc.array(fc.constantFrom('one', 'two', 'three', '- item', ''), { maxLength: 8 }),
    )
    .map(([properties, lines]) =>
      edit(lines.join('\n'), ...Object.entries(properties).map(([key, value]): NoteChange => ({ op: 'set', key: [key], value }))),
    );

  it('what only one side changed is taken, and equal changes merge to themselves', () => {
    fc.assert(
      fc.property(text, text, (start, changed) => {
        expect(mergeNotes(start, changed, start)).toEqual(clean(changed));
        expect(mergeNotes(start, start, changed)).toEqual(clean(changed));
        expect(mergeNotes(start, changed, changed)).toEqual(clean(changed));
      }),
    );
  });

  it('the frontmatter of the result can be read, and holds each key that one side alone changed', () => {
    fc.assert(
      fc.property(text, text, text, (start, ours, theirs) => {
        const merged = mergeNotes(start, ours, theirs);
        const after = readFrontmatter(merged.text);
        expect(after.isReadable).toBe(true);
        const [was, mine, other, now] = [start, ours, theirs, merged.text].map((note) => read(note) as Record<string, unknown>);
        const lost = ['a', 'b', 'tags', 'm'].filter((key) => {
          const [before, left, right, result] = [was?.[key], mine?.[key], other?.[key], now?.[key]].map((value) => JSON.stringify(value));
          return before === left || left === right ? result !== right : before === right && result !== left;
        });
        expect(lost).toEqual([]);
        expect(merged.text.slice(0, bodyStartOf(merged.text, after.block))).not.toMatch(/<<<<<<<|=======|>>>>>>>/);
      }),
      { numRuns: runs(100) },
    );
  });

  it('X-20 sections of items merge as sets, also those that only one side has, or both began', () => {
    const entity = (...sections: string[]): string => `---\nrev: 1\n---\nProse\n\n${sections.join('\n\n')}\n`;
    const observations = (...items: string[]): string => `## Observations\n\n${items.map((item) => `- ${item}`).join('\n')}`;
    const relations = (...items: string[]): string => `## Relations\n\n${items.map((item) => `- ${item}`).join('\n')}`;
    const bodyOf = (from: string, ours: string, theirs: string) => {
      const { text: merged, conflicts } = mergeNotes(from, ours, theirs);
      return { body: merged.slice(bodyStartOf(merged)), conflicts };
    };
    const merged = (...sections: string[]) => ({ body: `Prose\n\n${sections.join('\n\n')}\n`, conflicts: false });
    const start = entity(observations('a'));
    expect(bodyOf(start, entity(observations('a', 'b')), entity(observations('a', 'c'), relations('knows [[x]]')))).toEqual(
      merged(observations('a', 'b', 'c'), relations('knows [[x]]')),
    );
    expect(bodyOf(start, entity(observations('a', 'b'), relations('knows [[x]]')), entity(observations('a', 'c')))).toEqual(
      merged(observations('a', 'b', 'c'), relations('knows [[x]]')),
    );
    // Begun by both where there was none.
    expect(bodyOf('Prose\n', entity(observations('b'), relations('r')), entity(observations('c'), relations('s')))).toEqual(
      merged(observations('b', 'c'), relations('r', 's')),
    );
    // What one side took away stays away, with its section, unless the other added to it.
    const two = entity(observations('a'), relations('r'));
    expect(bodyOf(two, entity(observations('a', 'b')), entity(observations('a', 'c'), relations('r')))).toEqual(
      merged(observations('a', 'b', 'c')),
    );
    expect(bodyOf(two, entity(observations('a', 'b')), entity(observations('a', 'c'), relations('r', 's')))).toEqual(
      merged(observations('a', 'b', 'c'), relations('s')),
    );
    // Prose among the items is a person's, and a conflict.
    expect(bodyOf(start, entity(observations('a', 'b'), 'Mine'), entity(observations('a', 'c'), 'Theirs')).conflicts).toBe(true);
  });

  it('T-04 of two handoffs one is made: from whoever wrote the later, taken or not, with what both say', () => {
    const task = (summary: string, by: string, at: number, { taken = false, also = '' } = {}): string => {
      const marks = taken ? '' : `  _handoff_by: ${by}\n  _handoff_at: "2026-11-0${at}T00:00:00.000Z"\n`;
      const section = `## Handoff\n\n- **From:** ${by}, 2026-11-0${at}T00:00:00.000Z\n- **Left:** by ${by}\n${also}`;
      const end = taken ? '- **Taken:** eve, 2026-11-09T00:00:00.000Z\n' : '';
      return `---\nid: t_1\nresolved: false\nsummary: ${summary}\nproperties:\n  priority: 1\n${marks}---\nText\n\n${section}${end}\n## Evidence\n\n- one\n`;
    };
    const start = '---\nid: t_1\nresolved: false\nsummary: s\nproperties:\n  priority: 1\n---\nText\n\n## Evidence\n\n- one\n';
    for (const isTaken of [false, true])
      for (const before of [start, task('s', 'old', 1)]) {
        const [early, late] = [task('s', 'ada', 2), task('s', 'bob', 3, { taken: isTaken })];
        const text = task('s', 'bob', 3, { taken: isTaken, also: '- **Left:** by ada\n' });
        for (const [ours, theirs] of [
          [early, late],
          [late, early],
        ] as const)
          expect(mergeNotes(before, ours, theirs)).toEqual({ text, conflicts: false });
      }
    // One side alone changed it.
    const [handed, renamed] = [task('s', 'ada', 2), task('other', 'old', 1)];
    expect(mergeNotes(task('s', 'old', 1), handed, renamed)).toEqual({ text: task('other', 'ada', 2), conflicts: false });
  });

  it('T-04 two handoffs whose frontmatter cannot be written again keep the lines of both', () => {
    const task = (by: string, at: number, properties: string): string =>
      `---\nid: t_1\nresolved: false\n${properties}\n---\n## Handoff\n\n- **From:** ${by}, 2026-11-0${at}T00:00:00.000Z\n- **Left:** by ${by}\n`;
    const withAlias = (by: string) => `properties: &p\n  _handoff_by: ${by}\nother: *p`;
    const sides = ['old', 'ada', 'bob'].map((by, at) => task(by, at + 1, withAlias(by)));
    const { text } = mergeNotes(sides[0] ?? '', sides[1] ?? '', sides[2] ?? '');
    for (const by of ['ada', 'bob']) expect(text).toContain(`- **Left:** by ${by}\n`);
    const map = 'properties: { _handoff_by: x }';
    expect(mergeNotes(task('old', 1, map), task('ada', 2, 'properties: [1]'), task('bob', 3, map)).text).toContain('properties: [1]');
  });

  it('T-04 one handoff is made of any two, the same whichever side is merged into the other, and no line of either is lost', () => {
    const parts = fc.record({
      by: fc.constantFrom('ada', 'bob', 'eve, jr'),
      day: fc.integer({ min: 1, max: 3 }),
      lists: fc.array(fc.tuple(fc.constantFrom('Done', 'Left', 'Pitfall'), fc.constantFrom('a', 'b', 'the door')), { maxLength: 4 }),
      bullet: fc.constantFrom('-', '*'),
      isTaken: fc.boolean(),
      // What a person may have made of them.
      properties: fc.constantFrom('properties: text', 'properties: [a, b]', 'properties:', 'properties: {area: db}', 'other: 1'),
      eol: fc.constantFrom('\n', '\r\n'),
    });
    const handed = parts.map(({ by, day, lists, bullet, isTaken, properties, eol }) => {
      const at = `2026-11-0${day}T00:00:00.000Z`;
      const marks = isTaken ? [] : [`_handoff_by: "${by}"`, `_handoff_at: ${at}`];
      const items = [['From', `${by}, ${at}`], ...lists, ...(isTaken ? [['Taken', `zoe, ${at}`]] : [])];
      const section = ['## Handoff', '', ...items.map(([label = '', item = '']) => `${bullet} **${label}:** ${item}`)];
      const note = ['---', 'id: t_1', 'resolved: false', properties, ...marks, '---', 'Text', '', ...section, ''].join(eol);
      return { note, from: `${by}, ${at}`, eol };
    });
    const linesOf = (note: string): readonly string[] =>
      note
        .split(/\r\n|\n/)
        .filter((line) => /^[-*] \*\*/.test(line))
        .map((line) => line.slice(2))
        .sort();
    fc.assert(
      fc.property(handed, handed, fc.option(handed), (one, other, before) => {
        fc.pre(one.from !== other.from);
        const [ours, theirs] = [one.note, other.note];
        const start = before?.note ?? '---\nid: t_1\nresolved: false\n---\nText\n';
        const [left, right] = [mergeNotes(start, ours, theirs).text, mergeNotes(start, theirs, ours).text];
        expect(linesOf(left)).toEqual(linesOf(right));
        // What one side did to the handoff that was there is merged as any other lines.
        if ([one, other].some(({ from }) => from === before?.from)) return;
        expect(linesOf(left).filter((line) => line.startsWith('**From:'))).toHaveLength(1);
        const known = new Set([...linesOf(left), ...linesOf(start)]);
        const lost = [...linesOf(ours), ...linesOf(theirs)].filter((line) => !/^\*\*(?:From|Taken):/.test(line) && !known.has(line));
        expect(lost).toEqual([]);
        expect(left.includes('\r\n')).toBe(one.eol === '\r\n');
        expect(/(?<!\r)\n/.test(left)).toBe(one.eol === '\n');
      }),
      { numRuns: runs(400) },
    );
  });

  it('the two sides may change places without another outcome for the properties', () => {
    fc.assert(
      fc.property(text, text, text, (start, ours, theirs) => {
        const [left, right] = [mergeNotes(start, ours, theirs), mergeNotes(start, theirs, ours)];
        expect(left.conflicts).toBe(right.conflicts);
        const sorted = (note: string): unknown =>
          JSON.parse(
            JSON.stringify(readFrontmatter(note).data, (_key, value: unknown) =>
              Array.isArray(value) ? value.map((entry) => JSON.stringify(entry)).sort((a, b) => (a < b ? -1 : 1)) : value,
            ),
          );
        expect(left.conflicts || sorted(left.text)).toEqual(left.conflicts || sorted(right.text));
      }),
    );
  });
});

describe('merging histories', () => {
  it('keeps every event once, by time', () => {
    const event = (timestamp: string, seq: number): string => JSON.stringify({ seq, timestamp });
    const [a, b, c, d] = [event('2026-01-01', 1), event('2026-01-02', 2), event('2026-01-03', 2), event('2026-01-04', 3)];
    expect(mergeHistories(`${a}\n${b}\n${d}\n`, `${a}\n${c}\n`)).toBe(`${a}\n${b}\n${c}\n${d}\n`);
    expect(mergeHistories('', 'torn\n')).toBe('torn\n');
  });
});
