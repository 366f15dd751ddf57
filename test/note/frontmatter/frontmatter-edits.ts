import { diffArrays } from 'diff';
import { RouxError } from '../../../src/errors.ts';
import type { NoteChange } from '../../../src/note/change.ts';
import { applyChanges } from '../../../src/note/edit.ts';
import type { PropertyValue } from '../../../src/note/note.ts';

export const edit = (text: string, ...changes: NoteChange[]): string => applyChanges('a.md', text, changes).text;
export const set = (key: string, value: PropertyValue): NoteChange => ({ op: 'set', key: [key], value });
export const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** Lines taken away and lines added, line ends included. */
export function lineChanges(before: string, after: string): { removed: string[]; added: string[] } {
  const lines = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n|\r|\n|$)/g)?.filter((line) => line !== '') ?? [];
  const parts = diffArrays(lines(before), lines(after));
  return {
    removed: parts.flatMap((part) => (part.removed ? part.value : [])),
    added: parts.flatMap((part) => (part.added ? part.value : [])),
  };
}

export function refusal(run: () => unknown): RouxError {
  try {
    run();
  } catch (error) {
    if (error instanceof RouxError) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

export const awkward = [
  '@x',
  'a: b',
  '#t',
  'yes',
  '2020-01-01',
  '',
  'null',
  '[[X]]',
  ' lead',
  'trail ',
  '🌱 sprout',
  'two\nlines',
  'a\n\nb\n',
  'tab\there',
]
  .concat([
    '- x',
    '-',
    '? q',
    '!tag',
    '&a',
    '*a',
    '%x',
    '`x`',
    '{a}',
    '[a',
    "it's",
    '"q"',
    'a #b',
    'a:',
    '~',
    'true',
    '1.10',
    '0o7',
    '12:30',
    '1_000',
  ])
  .concat([
    '...',
    '---',
    '\n',
    ' \n',
    'x\r\ny',
    '\u0085',
    '\u2028',
    '\ufeffx',
    '\ud800',
    'back\\slash',
    '<<',
    '=',
    '.inf',
    '-',
    '|',
    '>',
    'a\tb',
    'C:\\x: y',
  ])
  .concat(['é', 'ελ', '日本語：x', 'x'.repeat(1500), 'a\n  b\n c', '  a\nb', 'a \nb', '#', 'key: [x]', 'a, b', '\u0000', '\u007f']);
