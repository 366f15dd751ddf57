import { describe, expect, it } from 'vitest';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';
import { stating } from '../conformance/doors.ts';
import { ask, find, ingest, ok } from '../kg.ts';
import type { Json } from '../kg.ts';

const FLAGS = ['--toolsets', 'all'];

describe('what is sent', () => {
  it('S3-02 years below 100 are those years, whether sent or written by hand', () =>
    withVault(
      {
        'knowledge/g/entities/livy.md':
          '---\ntype: entity\n---\n\n## Relations\n\n- WROTE [[Rome]]: Livy wrote of Rome [valid_at:: 0009-05] [invalid_at:: 0017]\n',
        'Rome.md': 'A city.\n',
      },
      (vault) =>
        withServer(
          vault,
          async (session) => {
            const fact = { source: 'Nero', name: 'RULES', target: 'Rome', fact: 'Nero rules Rome.' };
            const times = { valid_at: '0054-10-13T00:00:00Z', invalid_at: '0068-06-09T00:00:00Z' };
            await ingest(session, 'g', [stating([{ ...fact, ...times }], { reference_time: '0001-02-03T04:05:06.007Z' })]);
            const at = (year: string) => find(session, 'g', 'Rome', { as_of: { valid: `${year}-01-01T00:00:00Z` } });
            expect(await at('0060')).toMatchObject([{ valid_at: '0054-10-13T00:00:00.000Z', invalid_at: '0068-06-09T00:00:00.000Z' }]);
            expect(await at('0012')).toMatchObject([{ valid_at: '0009-05-01T00:00:00.000Z', invalid_at: '0017-01-01T00:00:00.000Z' }]);
            expect(await at('1955')).toEqual([]);
            const { episodes } = await ok(session, 'get_episodes', { group_id: 'g', last_n: 1 });
            expect(episodes).toMatchObject([{ reference_time: '0001-02-03T04:05:06.007Z' }]);
          },
          { flags: FLAGS },
        ),
    ));

  it('S3-12 a query of a megabyte in any script is answered, and soon', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          await ingest(session, 'g', [stating([{ name: 'LIKES', target: '茶', fact: '她喜欢喝茶。' }])]);
          const han = Array.from({ length: 340_000 }, (_, at) => String.fromCharCode(0x4e00 + (at % 20_000))).join('');
          for (const query of [`${han}\n喝茶`, `${'a '.repeat(500_000)}喝茶`]) {
            expect((await find(session, 'g', query)).map(({ fact }: Json) => fact)).toEqual(['她喜欢喝茶。']);
          }
        },
        { flags: FLAGS },
      ),
    ));

  it('S3-02 an as_of that is none is told what one looks like', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          for (const as_of of [5, null, [], { valid: 1 }, 'yesterday']) {
            const { error } = await ask(session, 'search_facts', { group_ids: ['g'], query: 'x', as_of });
            expect(error).toMatchObject({ error_code: 'INVALID_ARGUMENT', message: expect.stringContaining('2026-01-05T10:00:00.000Z') });
          }
        },
        { flags: FLAGS },
      ),
    ));
});
