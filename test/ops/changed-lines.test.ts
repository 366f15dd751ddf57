import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedLines } from '../../src/ops/notes/write/answer/changed-lines.ts';

const text = fc.array(fc.constantFrom('one', 'two', 'three', '', 'four'), { maxLength: 8 }).map((lines) => lines.join('\n'));

it('names the changed lines and where they are, for any two texts', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const hunks = changedLines(before, after);
      const [old, now] = [before.split('\n'), after.split('\n')];
      const wrong: string[] = [];
      let line = 0;
      for (const each of hunks === '' ? [] : hunks.split('\n')) {
        const at = /^@@ (\d+)$/.exec(each)?.[1];
        if (at !== undefined) line = Number(at) - 1;
        else if (each.startsWith('+') ? now[line++] !== each.slice(1) : !old.includes(each.slice(1))) wrong.push(each);
      }
      expect(wrong).toEqual([]);
      expect(hunks === '').toBe(before === after);
    }),
  );
});

it.each(['\n', '\r\n', '\r'])('names only the lines that changed, without their ends, whether or not the last one has any (%j)', (end) => {
  const of = (...lines: readonly string[]): string => lines.join(end);
  expect(changedLines(of('a', 'b', 'z', ''), of('a', 'b', 'c', 'z', ''))).toBe('@@ 3\n+c');
  expect(changedLines(of('a', 'b'), of('a', 'b', 'c', ''))).toBe('@@ 3\n+c');
  expect(changedLines(of('a', 'b', ''), of('a', ''))).toBe('@@ 2\n-b');
  expect(changedLines(of('x', 'a', 'b', 'z', ''), of('y', 'a', 'b', 'c', 'z', ''))).toBe('@@ 1\n-x\n+y\n@@ 4\n+c');
  expect(changedLines(of('a', 'b', ''), of('a', 'b'))).toBe('@@ 2\n-b\n+b');
});

it('cuts what is long, and says how much is left', () => {
  const changed = changedLines('', Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join('\n'));
  expect(changed.length).toBeLessThan(560);
  expect(changed).toMatch(/^@@ 1\n\+line 0\n[^]*\n… \d{4} more lines$/);
  expect(changedLines('x'.repeat(50_000), 'y'.repeat(50_000)).length).toBeLessThan(560);
  expect(changedLines('a\nb\nc\n', 'a\nc\n')).toBe('@@ 2\n-b');
});

it('shows long lines around the first difference', () => {
  const [before, after] = ['one', 'two'].map((word) => `${'a long beginning '.repeat(30)}${word} and an end\n`);
  expect(changedLines(before ?? '', after ?? '')).toMatch(/^@@ 1\n-….{40}one and an end\n\+….{40}two and an end$/);
});
