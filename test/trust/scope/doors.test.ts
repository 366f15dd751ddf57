import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withServe } from '../../support/program/http-server.ts';
import { makeVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { cli } from '../../support/program/cli.ts';
import { addToken, FILES, MARK, OWNERS, prepare } from './scoped-vault.ts';

const vault = makeVault(FILES);
beforeAll(async () => void (await prepare(vault)));
afterAll(() => vault.dispose());

const serveAll = <T>(run: (url: string) => Promise<T>): Promise<T> =>
  withServe(vault, ['--toolsets', 'all', '--token', OWNERS], ({ url }) => run(url));

async function connect(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'scoped', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  return client;
}

/** Reads the events of a stream for as long as it is open. */
async function follow(
  url: string,
  token: string,
): Promise<{ readonly text: () => string; readonly isOpen: () => boolean; readonly stop: () => void }> {
  const gone = new AbortController();
  const response = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` }, signal: gone.signal });
  let [text, isOpen] = ['', true];
  void (async () => {
    try {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
    } catch {
      // Ended from here or there.
    }
    isOpen = false;
  })();
  return { text: () => text, isOpen: () => isOpen, stop: () => gone.abort() };
}

describe('V-04 with a token for some folders', () => {
  it('resources, completions and what is told of changes know nothing else', async () => {
    const token = await addToken(vault, 'doors', 'write');
    await serveAll(async (url) => {
      const client = await connect(url, token);
      const told: string[] = [];
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
      client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told.push('list'));
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('roux://note/open/tea.md');
      expect(JSON.stringify(resources)).not.toMatch(/zqul|private/);
      for (const uri of ['roux://vault', 'memory://knowledge-graph', 'roux://note/open/tea.md']) {
        const { contents } = await client.readResource({ uri });
        expect(JSON.stringify(contents)).not.toContain(MARK);
      }
      const [vaultText] = (await client.readResource({ uri: 'roux://vault' })).contents as { text: string }[];
      const summary = JSON.parse(vaultText?.text ?? '') as Record<string, unknown>;
      expect(summary['notes']).toBe(resources.length - 2);
      const missing = async (uri: string): Promise<string> =>
        client.readResource({ uri }).then(
          () => 'there',
          (error: Error) => error.message,
        );
      expect(await missing('roux://note/private/plain.md')).toBe((await missing('roux://note/private/other.md')).replace('other', 'plain'));

      const ref = { type: 'ref/resource' as const, uri: 'roux://note/{path}' };
      for (const name of ['path', 'title', 'tag', 'type', 'project'])
        for (const value of ['', 'zq', 'p', 'e']) {
          const { completion } = await client.complete({ ref, argument: { name, value } });
          expect(JSON.stringify(completion)).not.toMatch(/zqul|private/);
        }

      const { completion: none } = await client.complete({ ref, argument: { name: 'tag', value: 'zq' } });
      expect(none).toMatchObject({ values: [], total: 0 });

      for (const uri of ['roux://vault', 'roux://note/private/zqulpath.md', 'roux://note/open/tea.md'])
        await client.subscribeResource({ uri });
      const events = await follow(url, token);
      await waitFor(() => events.text().includes('event: state') && events.text().includes('"isReady":true'));
      vault.write('private/zqulpath.md', 'zqultext, and more\n');
      vault.write('private/zqulnew.md', 'zqultext\n');
      vault.remove('zqulroot.md');
      // Seen by now, as the owner is told of it.
      const owners = await follow(url, OWNERS);
      vault.write('private/zqullast.md', 'zqultext\n');
      await waitFor(() => owners.text().includes('zqullast'));
      vault.write('open/assam.md', `${vault.read('open/assam.md')}More.\n`);
      await waitFor(() => events.text().includes('open/assam.md') && told.includes('roux://vault'));
      expect(told.filter((uri) => uri !== 'roux://vault')).toEqual([]);
      expect(events.text()).not.toMatch(/zqul|private/);
      expect(events.text()).toContain('"paths":["open/assam.md"]');
      expect(events.text()).toMatch(new RegExp(`"notes":${String(summary['notes'])},`));
      events.stop();
      owners.stop();
      await client.close();
    });
  });

  it('files, metrics and who one is are told as far as that goes', async () => {
    const token = await addToken(vault, 'files', 'read');
    await serveAll(async (url) => {
      const get = async (path: string, bearer = token) => {
        const response = await fetch(url + path, { headers: { authorization: `Bearer ${bearer}` } });
        return { status: response.status, text: await response.text() };
      };
      expect(await get('/api/file/open/dot.png')).toEqual({ status: 200, text: 'no picture' });
      const [one, other] = [await get('/api/file/private/zqulimage.png'), await get('/api/file/private/zqolimage.png')];
      expect(one).toEqual({ status: 404, text: other.text.replace('zqol', 'zqul') });
      expect(await get('/metrics')).toMatchObject({ status: 403, text: expect.stringContaining('FORBIDDEN') });
      expect((await get('/metrics', OWNERS)).status).toBe(200);
      expect(JSON.parse((await get('/api/session')).text)).toMatchObject({
        name: 'files',
        scope: 'read',
        folders: ['open', 'projects/shed', 'memory/person', 'knowledge/team', 'ontology.md'],
      });
    });
  });

  it('what is open ends when the token is taken away, and the next request is refused', async () => {
    const [token, stays] = [await addToken(vault, 'leaves', 'read'), await addToken(vault, 'stays', 'read')];
    await serveAll(async (url) => {
      const [events, others] = [await follow(url, token), await follow(url, stays)];
      await waitFor(() => events.text() !== '' && others.text() !== '');
      expect((await cli(['token', 'remove', 'leaves', '--vault', vault.root])).status).toBe(0);
      expect((await fetch(`${url}/api/search?query=tea`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
      await waitFor(() => !events.isOpen());
      expect(others.isOpen()).toBe(true);
      others.stop();
    });
  });

  it('what is open ends too when another token takes the name of the one that is gone', async () => {
    const former = await addToken(vault, 'anew', 'read');
    await serveAll(async (url) => {
      const events = await follow(url, former);
      await waitFor(() => events.text() !== '');
      expect((await cli(['token', 'remove', 'anew', '--vault', vault.root])).status).toBe(0);
      const present = await follow(url, await addToken(vault, 'anew', 'read'));
      await waitFor(() => !events.isOpen());
      expect(present.isOpen()).toBe(true);
      present.stop();
    });
  });

  it('where no token is asked for, one that is taken away opens nothing, and the owner may send the own one', async () => {
    const token = await addToken(vault, 'late', 'read');
    const file = await withServe(vault, [], async ({ tokenFile }) => tokenFile(), { ROUX_HTTP_AUTH: 'token' });
    await withServe(vault, [], async ({ url }) => {
      const ask = async (bearer: string | null) => {
        const response = await fetch(`${url}/api/session`, { headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` } });
        return { status: response.status, name: ((await response.json()) as { readonly name?: string }).name };
      };
      expect(await ask(null)).toEqual({ status: 200, name: 'owner' });
      expect(await ask(token)).toEqual({ status: 200, name: 'late' });
      expect((await cli(['token', 'remove', 'late', '--vault', vault.root])).status).toBe(0);
      expect(await ask(token)).toEqual({ status: 401, name: undefined });
      expect(await ask(readFileSync(file, 'utf8').trim())).toEqual({ status: 200, name: 'owner' });
    });
  });
});
