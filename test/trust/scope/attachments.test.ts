import { expect, it } from 'vitest';
import { withServe } from '../../support/program/http-server.ts';
import { makePdf } from '../../support/pdf/make-pdf.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ask } from './ask.ts';
import { addToken, OWNERS } from './scoped-vault.ts';

it('V-04 R-09 a token for some folders finds no PDF outside, and scores as if there were none', () => {
  const inside = { 'open/leaf.pdf': makePdf(['A valley of tea.', 'green leaves']) };
  const outside = { 'private/zqul.pdf': makePdf(['A valley of zqul.', 'green zqul', 'green valley']), 'zqul.pdf': makePdf(['valley']) };
  const queries = ['valley', 'valley tea', 'green', 'zqul', 'path:zqul valley', 'file:zqul valley', '"green valley"'];
  const answers = (files: Readonly<Record<string, Buffer>>, all: number): Promise<unknown> =>
    withVault(files, async (vault) => {
      const token = await addToken(vault, 'some', 'read', ['open']);
      return withServe(vault, ['--token', OWNERS], async ({ url }) => {
        const filesOf = async (bearer: string, query: string) => (await ask(url, bearer, 'search', { query })).value.files;
        // Everything has been read.
        await waitFor(async () => (await filesOf(OWNERS, 'valley'))?.length === all);
        const suggested = (await ask(url, token, 'suggest', { query: 'valley' })).value.result.files;
        return { found: await Promise.all(queries.map((query) => filesOf(token, query))), suggested };
      });
    });
  return Promise.all([answers(inside, 1), answers({ ...inside, ...outside }, 4)]).then(([alone, among]) => {
    expect(among).toEqual(alone);
    expect(alone).toMatchObject({
      found: [[{ path: 'open/leaf.pdf', page: 1 }], [{ page: 1 }], [{ page: 2 }], undefined, undefined, undefined, undefined],
    });
    expect(JSON.stringify(among)).not.toContain('zqul');
  });
});
