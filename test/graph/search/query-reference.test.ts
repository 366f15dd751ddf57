import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenize } from '../../../src/graph/search/words/tokenize.ts';
import { runs } from '../../support/effort.ts';
import { searchOf } from './search-of.ts';

/** Short, so that none is taken for another one misspelt. */
const WORDS = ['gull', 'tern', 'duck', 'crow', 'fish', '域名', '同步'];

interface Item {
  readonly kind: 'paragraph' | 'todo' | 'done' | 'code';
  readonly lines: readonly string[];
}

/** A note as it was made, so that the reference need not read its text. */
interface MadeNote {
  readonly path: string;
  readonly properties: { readonly status: string | null | undefined; readonly n: number | undefined; readonly tag: string | undefined };
  readonly sections: readonly { readonly heading: string; readonly items: readonly Item[] }[];
}

/** A query as a tree. A list is choices of which one must hold, each of them conditions that must all hold. */
type Term =
  | { readonly op: 'word' | 'phrase' | 'tag' | 'path' | 'file' | 'has' | 'status' | 'above' | 'below'; readonly value: string }
  | { readonly op: 'empty' }
  | { readonly op: 'group' | 'line' | 'block' | 'section' | 'task' | 'task-todo' | 'task-done' | 'content'; readonly list: List };
interface Signed {
  readonly isNegative: boolean;
  readonly term: Term;
}
type List = readonly (readonly Signed[])[];

const aWord = fc.constantFrom(...WORDS);
const aLine = fc
  .array(fc.oneof(aWord, fc.constantFrom('gulls', 'reef', '自定义域名')), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '));
const anItem: fc.Arbitrary<Item> = fc.record({
  kind: fc.constantFrom('paragraph', 'todo', 'done', 'code'),
  lines: fc.array(aLine, { minLength: 1, maxLength: 2 }),
});
const aNote = fc.record({
  path: fc.constantFrom('gull.md', 'a/tern.md', 'a/b/duck notes.md', 'crow.md', 'log/2024-01-15 fish.md', 'x.md'),
  properties: fc.record({
    status: fc.constantFrom('done', 'wanted', null, undefined),
    n: fc.constantFrom(1, 3, 7, undefined),
    tag: fc.constantFrom('sea', 'sea/deep', undefined),
  }),
  sections: fc.array(fc.record({ heading: aLine, items: fc.array(anItem, { maxLength: 3 }) }), { maxLength: 2 }),
});
const aVault = fc.uniqueArray(aNote, { minLength: 1, maxLength: 6, selector: ({ path }) => path });
const aTerm = fc.letrec<{ list: List; term: Term; signed: Signed }>((tie) => ({
  list: fc.array(fc.array(tie('signed'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  signed: fc.record({ isNegative: fc.boolean().map((isNegative) => isNegative), term: tie('term') }),
  term: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ op: fc.constant('word' as const), value: aWord }),
    fc.record({ op: fc.constant('phrase' as const), value: fc.tuple(aWord, aWord).map((words) => words.join(' ')) }),
    fc.record({ op: fc.constant('tag' as const), value: fc.constantFrom('sea', 'sea/deep') }),
    fc.record({ op: fc.constant('path' as const), value: fc.constantFrom('a/', 'b/duck', 'log') }),
    fc.record({ op: fc.constant('file' as const), value: fc.constantFrom('2024', 'tern', '.md') }),
    fc.record({ op: fc.constant('has' as const), value: fc.constantFrom('status', 'n') }),
    fc.record({ op: fc.constant('status' as const), value: fc.constantFrom('done', 'wanted') }),
    fc.record({ op: fc.constantFrom('above' as const, 'below' as const), value: fc.constantFrom('1', '3', '5') }),
    fc.record({ op: fc.constant('empty' as const) }),
    fc.record({
      op: fc.constantFrom('group', 'line', 'block', 'section', 'task', 'task-todo', 'task-done', 'content'),
      list: tie('list'),
    }) as fc.Arbitrary<Term>,
  ),
}));

function write({ properties, sections }: MadeNote): string {
  const { status, n, tag } = properties;
  const yaml = [
    ...(status === undefined ? [] : [`status:${status === null ? '' : ` ${status}`}`]),
    ...(n === undefined ? [] : [`n: ${n}`]),
    ...(tag === undefined ? [] : [`tags: [${tag}]`]),
  ];
  const body = sections.map(({ heading, items }) => `# ${heading}\n\n${items.map((item) => `${itemText(item)}\n\n`).join('')}`).join('');
  return `---\n${yaml.map((line) => `${line}\n`).join('')}---\n${body}`;
}

function itemText({ kind, lines }: Item): string {
  if (kind === 'code') return `\`\`\`\n${lines.map((line) => `- [ ] ${line}\n\n`).join('')}\`\`\``;
  const mark = { paragraph: '', todo: '- [ ] ', done: '- [x] ' }[kind];
  return `${mark}${lines.join('\n  ')}`;
}

function print(list: List): string {
  return list.map((choice) => choice.map(({ isNegative, term }) => `${isNegative ? '-' : ''}${printTerm(term)}`).join(' ')).join(' OR ');
}

function printTerm(term: Term): string {
  if ('list' in term) return `${term.op === 'group' ? '' : `${term.op}:`}(${print(term.list)})`;
  if (term.op === 'empty') return '[status:null]';
  const spelled = { word: '$', phrase: '"$"', tag: 'tag:#$', path: 'path:"$"', file: 'file:$', has: '[$]', status: '[Status:$]' };
  if (term.op === 'above') return `[n:>${term.value}]`;
  if (term.op === 'below') return `[n:<=${term.value}]`;
  return spelled[term.op].replace('$', term.value);
}

/** What words are looked for in: the whole note with its names, or one of its parts. */
interface Scope {
  readonly text: string;
  readonly names: string;
}

function holds(note: MadeNote, term: Term, scope: Scope): boolean {
  if ('list' in term) {
    if (term.op === 'group') return holdsList(note, term.list, scope);
    return parts(note, term.op, scope).some((text) => holdsList(note, term.list, { text, names: '' }));
  }
  const { status, n, tag } = note.properties;
  switch (term.op) {
    case 'word':
      return tokenize(`${scope.text}\n${scope.names}`).some((found) =>
        /[a-z]/.test(term.value) ? found.startsWith(term.value) : found === term.value,
      );
    case 'phrase':
      return [scope.text, scope.names].some((text) => isPhraseOf(text, term.value));
    case 'tag':
      return tag === term.value || tag?.startsWith(`${term.value}/`) === true;
    case 'path':
      return note.path.includes(term.value);
    case 'file':
      return (note.path.split('/').at(-1) ?? '').includes(term.value);
    case 'has':
      return note.properties[term.value as 'status' | 'n'] !== undefined;
    case 'status':
      return status === term.value;
    case 'empty':
      return status === null;
    case 'above':
      return n !== undefined && n > Number(term.value);
    case 'below':
      return n !== undefined && n <= Number(term.value);
  }
}

function isPhraseOf(text: string, phrase: string): boolean {
  const plain = text.replaceAll(/[*_`~=[\]|#>\\\s]+/g, ' ');
  const isLatin = (character: string): string => (/[a-z]/.test(character) ? '(?![a-z])' : '');
  const before = /[a-z]/.test(phrase.charAt(0)) ? '(?<![a-z])' : '';
  return new RegExp(`${before}${phrase}${isLatin(phrase.at(-1) ?? '')}`).test(plain);
}

function holdsList(note: MadeNote, list: List, scope: Scope): boolean {
  return list.some((choice) => choice.every(({ isNegative, term }) => holds(note, term, scope) !== isNegative));
}

function parts(note: MadeNote, op: string, scope: Scope): readonly string[] {
  const whole = scope.text === write(note);
  if (op === 'line') return scope.text.split('\n').filter((line) => line.trim() !== '');
  // A part of a part is read like a note of its own: only lines stay what they are, and are tried above.
  if (!whole) throw new Error('Not made: a part within a part.');
  const items = note.sections.flatMap((section) => section.items);
  if (op === 'section') return note.sections.map(({ heading, items: of }) => [heading, ...of.map(itemText)].join('\n\n'));
  if (op === 'content') return [note.sections.map(({ heading, items: of }) => [heading, ...of.map(itemText)].join('\n\n')).join('\n\n')];
  if (op === 'block') return [...note.sections.map(({ heading }) => heading), ...items.map(itemText)];
  return items.filter(({ kind }) => (kind === 'todo' && op !== 'task-done') || (kind === 'done' && op !== 'task-todo')).map(itemText);
}

function hasPartInPart(list: List, isPart = false): boolean {
  return list
    .flat()
    .some(
      ({ term }) =>
        'list' in term && ((isPart && !['group', 'line'].includes(term.op)) || hasPartInPart(term.list, isPart || term.op !== 'group')),
    );
}

/** Words by themselves: any of them is enough, unless an `OR` is among them. */
function expected(notes: readonly MadeNote[], list: List): readonly string[] {
  const isStrict = hasOr(list);
  return notes
    .filter((note) => {
      const scope = { text: write(note), names: namesOf(note.path) };
      if (isStrict) return holdsList(note, list, scope);
      const free: Term[] = [];
      const bound: Signed[] = [];
      sort(list[0] ?? [], { free, bound });
      return (free.length === 0 || free.some((term) => holds(note, term, scope))) && holdsList(note, [bound], scope);
    })
    .map(({ path }) => path)
    .sort();
}

function namesOf(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/\.md$/, '');
}

function hasOr(list: List): boolean {
  return list.length > 1 || list.flat().some(({ isNegative, term }) => !isNegative && term.op === 'group' && hasOr(term.list));
}

function sort(choice: readonly Signed[], into: { readonly free: Term[]; readonly bound: Signed[] }): void {
  for (const signed of choice) {
    const { isNegative, term } = signed;
    if (!isNegative && term.op === 'word') into.free.push(term);
    else if (!isNegative && term.op === 'group') sort(term.list[0] ?? [], into);
    else into.bound.push(signed);
  }
}

describe('search: a query of any shape', () => {
  it('finds exactly the notes that hold it, by scan and by index and before notes are in the graph, with the same scores in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(aVault, fc.array(aTerm.list, { minLength: 1, maxLength: 4 }), async (vault, lists) => {
        const asked = lists.filter((list) => !hasPartInPart(list));
        const files = Object.fromEntries(vault.map((note) => [note.path, write(note)]));
        const notes = searchOf(files);
        const early = () => searchOf(files, { isUnread: (path) => path.length % 2 === 0 });
        try {
          const queries = asked.map((list) => ({ list, query: print(list) }));
          const scanned = [];
          for (const { list, query } of queries) {
            const { hits, by } = await notes.ask(query);
            expect({ query, by, found: hits.map(({ path }) => path).sort() }).toEqual({ query, by: 'scan', found: expected(vault, list) });
            scanned.push({ query, hits: hits.map(({ path, score }) => ({ path, score })) });
            const before = (await early().ask(query)).hits.map(({ path, score }) => ({ path, score }));
            expect({ query, before }).toEqual({ query, before: scanned.at(-1)?.hits });
          }
          await notes.index();
          for (const { query, hits } of scanned) {
            const found = await notes.ask(query);
            expect({ query, by: found.by, hits: found.hits.map(({ path, score }) => ({ path, score })) }).toEqual({
              query,
              by: 'index',
              hits,
            });
          }
        } finally {
          await notes.search.close();
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
