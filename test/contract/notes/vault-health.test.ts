import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const flags = ['--toolsets', 'vault'];

describe('vault_health', () => {
  it('counts all findings by kind and lists those that are asked for, page by page', () =>
    withVault({ 'a.md': '[[x]] [[y]] [[z]]', 'b.md': '---\ntags: a, b\n---\n' }, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          expect(await ask('vault_health', {})).toMatchObject({
            notes: 2,
            counts: { 'unresolved-link': 3, tags: 1 },
            findings: [{ kind: 'unresolved-link', paths: ['a.md'] }, {}, {}, { kind: 'tags', fix: 'write it as a list of 2' }],
          });
          const first = await ask('vault_health', { kinds: ['unresolved-link'], limit: 2 });
          expect(first.next_offset).toBe(2);
          const rest = await ask('vault_health', { kinds: ['unresolved-link'], limit: 2, offset: 2, rebuild: true });
          expect([...first.findings, ...rest.findings].map(({ message }) => message)).toEqual(
            ['x', 'y', 'z'].map((name) => `[[${name}]] leads nowhere`),
          );
          expect(rest).not.toHaveProperty('next_offset');
          expect(vault.read('b.md')).toBe('---\ntags: a, b\n---\n');
        },
        { flags },
      ),
    ));

  it('answers no more than clients take, and says how to go on', () =>
    withVault(
      Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [`${'long '.repeat(30)}${n}.md`, '[[nowhere]]\n'.repeat(1) + `[[${'x'.repeat(190)}${n}]]`]),
      ),
      (vault) =>
        withServer(
          vault,
          async ({ call }) => {
            const { texts, value } = await call('vault_health', { limit: 200 });
            expect(texts[0]?.length).toBeLessThanOrEqual(40_000);
            expect(value.findings.length).toBeGreaterThan(10);
            expect(value.counts).toEqual({ 'unresolved-link': 61 });
          },
          { flags },
        ),
    ));

  it('says each thing once: the files are in paths, what was meant is in nearest, and what needs no mending comes last', () =>
    withVault(
      {
        'a.md': '[[Kyoto#Templs]] [[Kyoto#^gone]] [[Kyotto]] [[n]] [[#Gone]]\n',
        'b.md': '[[Kyotto]] [[Kyoto#Templs]]\n',
        'Kyoto.md': '# Temples\n',
        'x/n.md': '',
        'y/n.md': '---\ntags: a, b\n---\n',
      },
      (vault) =>
        withServer(
          vault,
          async ({ ask }) => {
            expect((await ask('vault_health', {})).findings).toEqual([
              { kind: 'unresolved-link', paths: ['a.md', 'b.md'], message: '[[Kyotto]] leads nowhere', nearest: 'Kyoto.md' },
              {
                kind: 'missing-heading',
                paths: ['a.md', 'b.md'],
                message: '[[Kyoto#Templs]] leads to no heading of Kyoto.md',
                nearest: 'Temples',
              },
              { kind: 'missing-heading', paths: ['a.md'], message: '[[Kyoto#^gone]] leads to no block of Kyoto.md' },
              { kind: 'missing-heading', paths: ['a.md'], message: '[[#Gone]] leads to no heading of a.md' },
              expect.objectContaining({ kind: 'tags' }),
              { kind: 'ambiguous-link', paths: ['a.md'], message: '[[n]] fits several files; x/n.md is taken' },
            ]);
            const { stdout } = await cli(['doctor', vault.root]);
            expect(stdout).toContain('unresolved-link  [[Kyotto]] leads nowhere; in a.md, b.md; nearest: Kyoto.md\n');
            expect(stdout).toContain('missing-heading  [[Kyoto#^gone]] leads to no block of Kyoto.md; in a.md\n');
          },
          { flags },
        ),
    ));

  it('refuses a kind that there is none of', () =>
    withVault({ 'a.md': '' }, (vault) =>
      withServer(
        vault,
        async ({ refuse }) => {
          expect(await refuse('vault_health', { kinds: ['ghosts'] })).toMatchObject({ error: { code: 'INVALID_PARAMS' } });
        },
        { flags },
      ),
    ));
});
