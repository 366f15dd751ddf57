import * as fc from 'fast-check';

/** One observation as a person writes it: its lines, and the text that it stands for with `\n` between lines. */
interface WrittenItem {
  readonly lines: readonly string[];
  readonly text: string;
}

/** A note with observations as people write them, and what is in it. */
export interface WrittenNote {
  readonly text: string;
  /** The observations word for word, in their order. */
  readonly observations: readonly string[];
  /** The note without the lines of one observation. */
  without(index: number): string;
}

/** Lines that belong to an item when they are indented as its text is; `''` is a blank one. */
const followings: readonly (readonly string[])[] = [
  ['- nested', '  - deeper'],
  ['1. first', '2. second'],
  ['\t- by a tab'],
  ['', 'a second paragraph'],
  ['', '```sh', 'npm test', '', '# no heading', '- no item', '```'],
  ['```', '## Relations', '', '', '- x', '```'],
  ['more of the same text'],
  ['> a quote'],
  ['', '# a heading inside'],
  ['', '    code by indentation', '', '    and on'],
  ['| a | b |', '|---|---|', '| c | d |'],
  ['<div>', '</div>'],
  ['- [ ] a task below', '- [x] done'],
];

const item = (number: number): fc.Arbitrary<WrittenItem> =>
  fc
    .record({
      mark: fc.constantFrom('- ', '* ', '+ ', '1. ', '2) ', '-   ', '-\t', '10.\t', ' - '),
      start: fc.constantFrom('plain', '[ ] a task', '[x] done', '**bold** and `code`', '[[link]]', '# heading', '{"json": 1}'),
      rest: fc.array(fc.constantFrom(...followings), { maxLength: 3 }),
      isTabbed: fc.boolean(),
    })
    .map(({ mark, start, rest, isTabbed }) => {
      const columns = mark.replace(/^( *\S+)\t$/, (_, before: string) => before.padEnd(4)).length;
      // A tab reaches the fourth column, where every mark but one leaves room for no code.
      const indent = isTabbed && columns > 2 && columns <= 4 ? '\t' : ' '.repeat(columns);
      const lines = rest.flat().map((line) => (line === '' ? '' : indent + line));
      const text = [`${start} ${number}`, ...lines].join('\n');
      return { lines: [`${mark}${start} ${number}`, ...lines], text };
    });

/** Notes with two to five observations, told apart by a number. */
export const peopleNote: fc.Arbitrary<WrittenNote> = fc
  .record({
    eol: fc.constantFrom('\n', '\r\n'),
    heading: fc.constantFrom('## Observations', '## OBSERVATIONS', '### Observations', '# observations', '###### Observations ##'),
    before: fc.constantFrom<readonly string[]>(
      [],
      ['A friend.', ''],
      ['```', '## Observations', '- no', '```', ''],
      ['## Other', '', '- other', ''],
    ),
    gap: fc.constantFrom<readonly string[]>([], [''], ['', '']),
    items: fc.integer({ min: 2, max: 5 }).chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => item(index)))),
    isLoose: fc.boolean(),
    after: fc.constantFrom<readonly string[]>(
      [],
      [''],
      ['', 'Prose.', ''],
      ['', '## Relations', '', '- knows [[Dora]]', ''],
      ['', '', '# End'],
    ),
  })
  .map(({ eol, heading, before, gap, items, isLoose, after }) => {
    const head = [...before, heading, ...gap];
    const rows = [
      ...head.map((line) => ({ line, of: -1 })),
      ...items.flatMap(({ lines }, of) => [
        ...lines.map((line) => ({ line, of })),
        ...(isLoose && of < items.length - 1 ? [{ line: '', of: -1 }] : []),
      ]),
      ...after.map((line) => ({ line, of: -1 })),
    ];
    const join = (kept: readonly { readonly line: string }[]): string => kept.map(({ line }) => line).join(eol);
    return {
      text: join(rows),
      observations: items.map(({ text }) => text.replaceAll('\n', eol)),
      without: (index) => join(rows.filter(({ of }) => of !== index)),
    };
  });
