import { expect, it } from 'vitest';
import { answer, ask, callTool, getCode, redeem, register, withOauth } from '../../../support/program/oauth-server.ts';
import type { OauthServer, PageAnswer } from '../../../support/program/oauth-server.ts';

/** Opens the consent page for a client that asks for this. */
const open = async (server: OauthServer, scope?: string): Promise<PageAnswer> =>
  ask(server, { client_id: (await register(server)).body.client_id, scope });

const offered = ({ html }: PageAnswer): readonly string[] =>
  [...html.matchAll(/name="scope" value="(\w+)"/g)].map(([, scope = '']) => scope);

it('O-01 a server that may only read offers reading alone, and says why', () =>
  withOauth(
    { 'a.md': 'a\n' },
    async (server) => {
      for (const scope of [undefined, 'read', 'read write', 'read write admin']) {
        const page = await open(server, scope);
        expect({ scope, offered: offered(page) }).toEqual({ scope, offered: ['read'] });
        expect(page.html).toMatch(/value="read" checked/);
        expect(page.html).toContain('Your server is read-only.');
      }
      const { request } = await open(server, 'read write');
      const more = await answer(server, { request: request ?? '', scope: 'write' });
      expect([more.status, more.next]).toEqual([400, null]);
      expect(more.html).toContain('The form allows more than was asked for.');
      const { body } = await redeem(server, await getCode(server, { answered: { scope: 'read' } }));
      expect(body.scope).toBe('read');
      expect(await callTool(server, body.access_token as string, 'get_node', { id: 'a' })).toMatchObject({ status: 200 });
    },
    { flags: ['--read-only'] },
  ));

it('O-03 a server that writes in some folders only names them where writing is offered', () =>
  withOauth(
    { 'a.md': 'a\n' },
    async (server) => {
      const page = await open(server, 'read write admin');
      expect(offered(page)).toEqual(['read', 'write', 'admin']);
      expect(page.html).toContain('Your server writes only in notes/agents, R&amp;D, c, d, e and 2 more folders.');
      expect((await open(server, 'read')).html).not.toContain('writes only in');
      // It stays where a password was wrong.
      const again = await answer(server, { request: page.request ?? '', password: 'not the password' });
      expect(again.html).toContain('writes only in notes/agents,');
    },
    { flags: ['--write-folders', 'notes/agents,R&D,c,d,e,f,g'] },
  ));

it('O-03 a server that writes everywhere says nothing of folders', () =>
  withOauth({ 'a.md': 'a\n' }, async (server) => {
    const page = await open(server, 'read write');
    expect(offered(page)).toEqual(['read', 'write']);
    expect(page.html).not.toMatch(/writes only in|read-only/);
  }));
