import { describe, expect, it } from 'vitest';
import type { Host } from '../../../src/faces/host.ts';
import type { Answered, RequestKind } from '../../../src/faces/mcp/surface/request.ts';
import type { Surface } from '../../../src/faces/mcp/surface/surface.ts';
import { completionRequests } from '../../../src/faces/mcp/vaults/joined-prompts.ts';
import { resourceRequests } from '../../../src/faces/mcp/vaults/joined-resources.ts';
import type { JoinedVault } from '../../../src/faces/mcp/vaults/joined-vault.ts';

/** A vault that answers every request like this. */
function vaultOf(name: string, answer: () => Answered): JoinedVault {
  const surface: Pick<Surface, 'answer'> = { answer: async () => answer() };
  return { name, host: { log: { warn: () => undefined } } as unknown as Host, surface: surface as Surface };
}

const gone = (name: string): JoinedVault =>
  vaultOf(name, () => {
    throw new Error(`${name} is gone`);
  });
const listing = (name: string): JoinedVault => vaultOf(name, () => ({ resources: [{ uri: 'roux://note/a.md', name: 'a' }] }));
const knowing = (name: string, values: readonly string[], hasMore: boolean): JoinedVault =>
  vaultOf(name, () => ({ completion: { values, total: values.length, hasMore } }));

async function ask(kinds: readonly RequestKind[], method: string, params: unknown): Promise<Answered> {
  const kind = kinds.find((each) => each.method === method);
  return (await kind?.answer(params, { signal: new AbortController().signal })) ?? {};
}

const list = (vaults: readonly JoinedVault[], cursor?: string) => ask(resourceRequests(vaults), 'resources/list', { cursor });

describe('O-02 lists of several vaults', () => {
  it('O-02 pass over a vault that cannot be opened; where none can, they fail, as an empty list would say that there is nothing', async () => {
    const found = { resources: [{ uri: 'roux://vaults/b/note/a.md', name: 'b: a' }] };
    expect(await list([gone('a'), listing('b'), listing('c')])).toEqual({ ...found, nextCursor: '2 ' });
    expect(await list([gone('a'), listing('b'), gone('c')])).toEqual({ ...found, nextCursor: '2 ' });
    expect(await list([gone('a'), listing('b'), gone('c')], '2 ')).toEqual({ resources: [] });
    await expect(list([gone('a'), gone('b')])).rejects.toThrow('b is gone');
  });

  it('O-02 lead each to its own vault, also where the name of one is how another one is written', async () => {
    const reading = (name: string) => vaultOf(name, () => ({ contents: [{ text: name }] }));
    const read = (part: string) =>
      ask(resourceRequests([reading('a%20b'), reading('a b'), reading('50%')]), 'resources/read', {
        uri: `roux://vaults/${part}/note/x.md`,
      });
    for (const [part, name] of [
      ['a%20b', 'a b'],
      ['a b', 'a b'],
      ['a%2520b', 'a%20b'],
      ['50%25', '50%'],
      ['50%', '50%'],
    ] as const)
      expect(await read(part)).toMatchObject({ contents: [{ text: name, uri: `roux://vaults/${part}/note/x.md` }] });
    await expect(read('c')).rejects.toThrow('Resource not found');
  });

  it('O-02 completions name each word once, and say whether a vault has more', async () => {
    const complete = (vaults: readonly JoinedVault[]) =>
      ask(completionRequests(vaults), 'completion/complete', { ref: { type: 'ref/resource' }, argument: { name: 'path', value: 't' } });
    const both = [knowing('a', ['tea', 'tin'], false), knowing('b', ['tea'], false)];
    expect(await complete(both)).toEqual({ completion: { values: ['tea', 'tin'], hasMore: false } });
    expect(await complete([...both, knowing('c', ['tea'], true)])).toEqual({ completion: { values: ['tea', 'tin'], hasMore: true } });
    const many = Array.from({ length: 70 }, (_, at) => `t${at}`);
    const more = many.map((word) => `${word}x`);
    const { completion } = await complete([knowing('a', many, false), knowing('b', more, false)]);
    expect(completion).toMatchObject({ values: [...many, ...more].slice(0, 100), hasMore: true });
  });
});
