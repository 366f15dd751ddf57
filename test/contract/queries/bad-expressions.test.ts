import { describe, expect, it } from 'vitest';
import { idsOf, withQueries } from '../../support/queries.ts';

const notes = {
  'a.md': `---\nstatus: open\nprice: 3\nlong: ${'a'.repeat(5_000)}!\n---\n`,
  'b.md': '---\nstatus: done\nnumbers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n---\n',
};

/** A list of a thousand numbers. */
const many = '"x".repeat(1000).split("")';

describe('E-21 what is no expression', () => {
  const refused: readonly (readonly [title: string, where: string, column: number | null, said: string])[] = [
    ['a property that is misspelled', 'stauts == "done"', 1, 'did you mean "status"'],
    ['one behind a condition that is never true', 'price > 100 && stauts == "done"', 16, 'did you mean "status"'],
    ['a function of values', 'status.contians("o")', 8, 'did you mean "contains"'],
    ['a function', 'dat("2025-01-01") < now()', 1, 'did you mean "date"'],
    ['a function that belongs to values', 'contains(status, "o")', 1, 'value.contains'],
    ['a field of files', 'file.nmae == "a"', 6, 'they have name, '],
    ['a formula', 'formula.ppu > 1', 9, 'no formula "ppu"'],
    ['`this` without a context', 'file.hasLink(this)', 14, 'context'],
    ['a comparison with one =', 'status = "done"', 8, 'write =='],
    ['the word and', 'price > 1 and price < 9', 11, 'write &&'],
    ['a question mark', 'price ? 1 : 2', null, 'if('],
    ['an open bracket', '(price > 1', 11, 'unclosed ('],
    ['an open quote', 'status == "done', null, 'quote is not closed'],
    ['an operator with nothing after it', 'price >', 8, 'expected expression'],
    ['nothing but an operator', '&&', 1, 'not expected'],
    ['a regular expression that is none', '/(/.matches(status)', null, 'nvalid'],
    ['100 KB', `price > 1 ${'|| price > 2 '.repeat(8_000)}`, 1, 'at most 10000'],
    ['too many parts', Array.from({ length: 1_200 }, () => '1').join('+'), null, 'more than 1000 parts'],
    ['too many properties', Array.from({ length: 150 }, (_, index) => `p${index}`).join('+'), null, 'more than 100 properties'],
    ['brackets nested deeply', `${'('.repeat(3_000)}1${')'.repeat(3_000)}`, 65, 'nested more than'],
    ['lists nested deeply', `${'['.repeat(3_000)}1`, 65, 'nested more than'],
    ['a text without end', '"ab".repeat(1000000000)', null, 'at most 200000'],
    ['a text that grows by replacing', '"a".repeat(100000).replace("a", "b".repeat(1000))', null, 'at most 200000'],
    ['a text that grows by a pattern', '"a".repeat(100000).replace(/a/g, "b".repeat(1000))', null, 'at most 200000'],
    ['a list that doubles', '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20].reduce(acc + acc, [1,2])', null, 'at most 200000'],
    ['loops in loops', `${many}.map(${many}.map(${many}.map(value + 1)))`, null, 'too many steps'],
    ['a pattern that goes back and forth', '/(a+)+$/.matches("a".repeat(50) + "!")', null, 'takes too long'],
    ['one over a property', '/^(a|aa)+$/.matches(long)', null, 'takes too long'],
  ];
  for (const [title, where, column, said] of refused) {
    it(`E-21 is refused with what to do: ${title}`, () =>
      withQueries(notes, async (_list, { call }) => {
        const { isError, value } = await call('list_nodes', { where });
        expect(isError).toBe(true);
        expect(value.error).toMatchObject({ code: 'INVALID_PARAMS' });
        expect(value.error.message).toContain(said);
        expect(value.error.message.length).toBeLessThan(500);
        const place = column === null ? { place: 'where' } : { place: 'where', column };
        expect(value.error.details ?? { place: 'where' }).toMatchObject(place);
      }));
  }

  it('E-21 a property that no note has yet and that is like no other is told, and is nothing', () =>
    withQueries(notes, async (list, { call }) => {
      const { texts } = await call('list_nodes', { where: 'archived != true' });
      expect(texts[1]).toContain('No note has a property \\"archived\\"');
      expect(idsOf(await list({ where: 'archived != true && note.stauts == null' }))).toEqual(['a.md', 'b.md']);
    }));

  it('E-21 names the argument in which the mistake is', () =>
    withQueries(notes, async (_list, { call }) => {
      for (const [args, place] of [
        [{ sort: '-price, stauts' }, 'sort'],
        [{ fields: ['price', 'status.lowr()'] }, 'fields'],
        [{ group_by: 'file.foldr' }, 'group_by'],
      ] as const) {
        const { isError, value } = await call('list_nodes', args);
        expect(isError, place).toBe(true);
        expect(value.error.message).toMatch(new RegExp(`^${place}, column \\d+: .*(did you mean|they have)`));
      }
      expect((await call('list_nodes', { where: 'true', ghosts: true })).isError).toBe(true);
      expect((await call('list_nodes', { view: 'x' })).isError).toBe(true);
      expect((await call('list_nodes', { fields: ['price,'.repeat(60)] })).value.error.message).toContain('at most 50');
      expect((await call('list_nodes', { sort: 'price,'.repeat(60) })).value.error.message).toContain('at most 50');
    }));
});
