import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLong } from '../support/effort.ts';
import { program, testEnvironment } from '../support/program/cli.ts';
import { withServe } from '../support/program/http-server.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';

const inspector = join(repositoryRoot, 'node_modules/@modelcontextprotocol/inspector-cli/build/cli.js');

/** What the Inspector prints for one request, as it is asked on a command line. Tests know its shape, so it is untyped on purpose. */
// oxlint-disable-next-line typescript/no-explicit-any
type Inspect = (...request: readonly string[]) => Promise<any>;

/** The Inspector before a server: `target` is how it is told which one. */
function inspectorOf(target: readonly string[]): Inspect {
  return async (...request) => {
    const { status, out, err } = await run([...target, ...request]);
    if (status !== 0) throw new Error(`the Inspector ended with ${String(status)}: ${err}`);
    return JSON.parse(out) as unknown;
  };
}

/** Runs it in its own folder, where alone it finds its version. */
function run(args: readonly string[]): Promise<{ readonly status: number | null; readonly out: string; readonly err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [inspector, '--cli', ...args], {
      cwd: dirname(inspector),
      env: testEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, out, err }));
  });
}

const TIMEOUT = 300_000;

/** Lists and calls tools. */
async function inspectTools(vault: TestVault, inspect: Inspect): Promise<void> {
  const { tools } = await inspect('--method', 'tools/list');
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['create_node', 'get_node', 'search']));
  const made = await inspect('--method', 'tools/call', '--tool-name', 'create_node', '--tool-arg', 'title=made', 'content=by hand');
  expect(JSON.parse(made.content[0].text)).toMatchObject({ id: 'made.md' });
  expect(vault.read('made.md')).toContain('by hand');
}

/** Lists and reads resources, and gets a prompt. */
async function inspectRest(inspect: Inspect): Promise<void> {
  const { resources } = await inspect('--method', 'resources/list');
  expect(resources).toContainEqual({ uri: 'roux://note/a.md', name: 'a', mimeType: 'text/markdown' });
  const { resourceTemplates } = await inspect('--method', 'resources/templates/list');
  expect(resourceTemplates[0].uriTemplate).toBe('roux://note/{path}');
  const { contents } = await inspect('--method', 'resources/read', '--uri', 'roux://note/a.md');
  expect(contents[0].text).toBe('apple\n');
  const { prompts } = await inspect('--method', 'prompts/list');
  expect(prompts.map(({ name }: { name: string }) => name)).toContain('onboard');
  const { messages } = await inspect('--method', 'prompts/get', '--prompt-name', 'onboard', '--prompt-args', 'project=shed');
  expect(messages[0].content.text).toContain('"shed"');
}

describe("V-10 the official Inspector's command line", () => {
  // oxlint-disable-next-line vitest/expect-expect
  it('works with roux mcp', { timeout: TIMEOUT }, () =>
    withVault({ 'a.md': 'apple\n' }, async (vault) => {
      const inspect = inspectorOf([process.execPath, program, 'mcp', vault.root]);
      await inspectTools(vault, inspect);
      await inspectRest(inspect);
    }),
  );

  it('works with roux serve and its token, and is refused without', { timeout: TIMEOUT }, () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withServe(
        vault,
        [],
        async ({ url, tokenFile }) => {
          const target = [`${url}/mcp`, '--transport', 'http'];
          const header = `Authorization: Bearer ${readFileSync(tokenFile(), 'utf8').trim()}`;
          const inspect = inspectorOf([...target, '--header', header]);
          await inspectTools(vault, inspect);
          // Each request starts the Inspector, which takes a second, and behind the token it is the same server.
          if (isLong) await inspectRest(inspect);
          await expect(inspectorOf(target)('--method', 'tools/list')).rejects.toThrow('UNAUTHORIZED');
        },
        { ROUX_HTTP_AUTH: 'token' },
      ),
    ),
  );
});
