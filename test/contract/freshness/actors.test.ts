import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { withBuiltPage } from '../../support/page-server.ts';
import { askModern, withModernHttp, withModernStdio } from '../../support/program/modern-client.ts';
import { withVault } from '../../support/vault.ts';

it('K-18 who confirms at the page is a person, an agent has its version, and a program that only sends requests is a process', () =>
  withVault({ 'a.md': 'A\n' }, (vault) =>
    withBuiltPage(vault, async ({ url, page, agent }) => {
      expect((await page('confirm', { node: 'a' })).by).toBe(`human:${userInfo().username}`);
      const { ask } = await agent('claude-code');
      expect((await ask('confirm', { node: 'a' })).by).toBe('agent/claude-code');
      const response = await fetch(`${url}/api/confirm`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ node: 'a' }),
      });
      expect(await response.json()).toMatchObject({ result: { by: 'process:http' } });
      const actors = [`human:${userInfo().username}`, 'agent/claude-code', 'process:http'];
      expect([...vault.read('a.md').matchAll(/by: (.*)/g)].map(([, by]) => by)).toEqual(actors);
      expect(await page('home_page')).toMatchObject({ health: { stale: 0 } });
    }),
  ));

it('K-18 a client without a handshake has its version too, over HTTP and over stdio', () =>
  withVault({ 'a.md': 'A\n' }, async (vault) => {
    await withBuiltPage(vault, ({ url }) =>
      withModernHttp(url, async (client) => expect((await askModern(client, 'confirm', { node: 'a' })).by).toBe('agent/modern-test')),
    );
    await withModernStdio(vault, async (client) =>
      expect((await askModern(client, 'confirm', { node: 'a' })).by).toBe('agent/modern-test'),
    );
    expect(vault.read('a.md').match(/by: /g)).toHaveLength(1);
  }));
