import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { answer, ask, freePort, register, withOauth } from '../support/program/oauth-server.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

interface Check {
  readonly id: string;
  readonly status: string;
}

it('O-01 the official conformance suite: every scenario for authorization servers passes', () =>
  withVault({}, (results) =>
    withOauth(
      { 'a.md': 'A\n' },
      async (server) => {
        const port = await freePort();
        const redirect = `http://127.0.0.1:${port}/callback`;
        const { client_id: clientId } = (await register(server, { redirect_uris: [redirect] })).body;
        const hooks = fileURLToPath(new URL('./glob-sync.mjs', import.meta.url));
        const program = join(repositoryRoot, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
        const given = ['--url', server.url, '--client-id', clientId, '--resource', `${server.url}/mcp`, '--port', String(port)];
        const child = spawn(process.execPath, ['--import', hooks, program, 'authorization', ...given, '-o', results.root], {
          stdio: 'pipe',
        });
        let text = '';
        child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
        child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
        const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
        try {
          await waitFor(() => /^http:\S+\/authorize\?\S+$/m.test(text), { what: `the address (${text})` });
          const address = new URL(/^http:\S+\/authorize\?\S+$/m.exec(text)?.[0] ?? '');
          const { request } = await ask(server, Object.fromEntries(address.searchParams));
          const { next } = await answer(server, { request: request ?? '', scope: 'read' });
          expect((await fetch(next ?? '')).status).toBe(200);
          expect(await ended, text).toBe(0);
        } finally {
          child.kill('SIGKILL');
        }
        const checks = readdirSync(results.root).flatMap(
          (name) => JSON.parse(readFileSync(join(results.root, name, 'checks.json'), 'utf8')) as readonly Check[],
        );
        const statuses = checks.filter(({ status }) => status !== 'INFO').map(({ id, status }) => `${id} ${status}`);
        expect([...new Set(statuses)].toSorted()).toEqual([
          'authorization-code-grant SUCCESS',
          'authorization-server-metadata SUCCESS',
          'authorization-server-metadata-cimd SUCCESS',
        ]);
      },
      { flags: ['--client-hosts', 'claude.ai'] },
    ),
  ));
