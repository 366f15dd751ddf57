import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate, ValidationSeverity } from 'dockerfile-utils';
import { expect, it } from 'vitest';
import { testEnvironment } from '../support/program/cli.ts';
import { unpackInto } from '../support/program/packed.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

const text = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8');
/** The instructions, each on one line, by stages. */
const stages = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split(/^(?=FROM )/m)
  .filter((stage) => stage.startsWith('FROM '))
  .map((stage) => stage.trim().split('\n').filter((line) => line !== '')); // prettier-ignore
const last = stages.at(-1) ?? [];
const instruction = (name: string): string => last.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';

it('V-19 the Dockerfile is well formed', () => {
  expect(validate(text, { deprecatedMaintainer: ValidationSeverity.ERROR })).toEqual([]);
});

it('V-19 its image is built in stages, runs as no root, keeps the vault outside, and is asked for its health', () => {
  expect(stages.length).toBe(2);
  for (const [from = ''] of stages) expect(from).toMatch(/^FROM node:\d+-[\w-]+/);
  expect(instruction('USER')).toBe('node');
  expect(last.findIndex((line) => line.startsWith('RUN '))).toBeLessThan(last.findIndex((line) => line.startsWith('USER ')));
  expect(JSON.parse(instruction('VOLUME'))).toContain('/vault');
  expect(JSON.parse(instruction('CMD'))).toEqual(['serve', '/vault']);
  expect(instruction('ENV')).toContain('ROUX_HTTP_HOST=0.0.0.0');
  expect(text).not.toMatch(/^\s*(?:ENV|ARG).*TOKEN=/m);
});

it('V-19 what the image starts, started by hand: it asks for a token on every address, keeps one of its own, and its health check tells', () =>
  withVault({}, (image) =>
    withVault('demo', async (vault) => {
      const program = join(unpackInto(image.root), 'dist/bin.js');
      const env = Object.fromEntries(
        instruction('ENV').split(/\s+/).map((pair) => pair.split('=') as [string, string]), // prettier-ignore
      );
      const run = { ...env, XDG_STATE_HOME: image.path('state'), ROUX_HTTP_PORT: '0' };
      const child = spawn(process.execPath, [program, 'serve', vault.root, '--json'], { env: testEnvironment(run) });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
      const exit = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
      try {
        await waitFor(() => out.includes('\n') && err.includes('ready'), { what: `the server (${err})` });
        const { url, token_file: tokenFile } = JSON.parse(out) as { url: string; token_file: string };
        const port = new URL(url).port;
        const ask = (headers: Record<string, string>) => fetch(`http://127.0.0.1:${port}/api/session`, { headers });
        expect((await ask({})).status).toBe(401);
        expect((await ask({ authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` })).status).toBe(200);
        expect(tokenFile.startsWith(image.path('state'))).toBe(true);

        const [, check = ''] = /CMD (\[.*\])$/.exec(instruction('HEALTHCHECK')) ?? [];
        const [, ...args] = JSON.parse(check.replace('7411', port)) as string[];
        expect(spawnSync(process.execPath, args).status).toBe(0);
        child.kill('SIGTERM');
        expect(await exit).toBe(0);
        expect(spawnSync(process.execPath, args).status).toBe(1);
      } finally {
        child.kill('SIGKILL');
        await exit;
      }
    }),
  ));
