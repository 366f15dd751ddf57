import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import type { McpProcess } from '../../support/program/mcp-client.ts';
import { useOnce } from '../../support/program/use-once.ts';
import { withVault } from '../../support/vault.ts';

/** Longer than any machine needs, and shorter than any of these patterns took: hours, or minutes for the filters. */
const ENOUGH_MS = 45_000;

/** What a command prints; fails when it is not at its end in time. */
function output(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { env: testEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), ENOUGH_MS);
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      if (status === 0) resolve(text);
      else reject(new Error(`roux ${args.join(' ')} ended with ${signal ?? status}: ${text}`));
    });
  });
}

/** More than any client waits for an answer. */
const PATIENCE_MS = 120_000;

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

const FLOW_LISTS: Readonly<Record<string, string>> = {
  'tags with spaces before commas': `tags: [${'a  ,'.repeat(18)} {b}]`,
  'authors of a paper': `authors: [${upTo(28)
    .map((at) => `Ann Lee${at}  `)
    .join(', ')}, {x: 1}]`,
  'quoted names': `aliases: [${'"a"   ,'.repeat(2_000)} {b}]`,
  'a list without an end': `tags: [${'a   ,   '.repeat(2_000)}`,
};

const BODIES: Readonly<Record<string, string>> = {
  'backslashes in the label of a footnote': `[^${'\\\\'.repeat(80)}\n`,
  'backticks, ever more at once': Array.from({ length: 1_300 }, (_, at) => '`'.repeat(at + 1)).join(' '),
  slashes: `[a](${'/'.repeat(500_000)}x)\n`,
  'an open tag': `<a ${' '.repeat(500_000)}\n`,
  'tabs between lines of a heading': `# ${'\\t'.repeat(200_000)}x\n`,
};

const NOTES = Object.fromEntries([
  ...Object.entries(FLOW_LISTS).map(([name, line]) => [`${name}.md`, `---\n${line}\n---\nText.\n`]),
  ...Object.entries(BODIES).map(([name, line]) => [`${name}.md`, `${line}Text.\n`]),
  ['note.md', 'Text.\n'],
]);

describe('H-01 no text of a vault takes exponential time', () => {
  const session = useOnce<McpProcess>((use) => withVault(NOTES, (vault) => withMcp(vault, use)));
  const ask = async (name: string, args: Record<string, unknown>): Promise<string> =>
    JSON.stringify(await (await session()).client.callTool({ name, arguments: args }, undefined, { timeout: PATIENCE_MS }));

  it('H-01 notes with flow lists and bodies of all kinds are listed', () =>
    withVault(NOTES, async ({ root }) => {
      const list = await output(['list', '--vault', root]);
      for (const path of Object.keys(NOTES)) expect(list).toContain(path);
    }));

  it.each(Object.keys(FLOW_LISTS))('H-01 a flow list: %s', async (name) => {
    expect(await ask('get_node', { id: `${name}.md` })).toContain('Text.');
  });

  it.each(Object.keys(BODIES))('H-01 a body: %s', async (name) => {
    expect(await ask('get_neighbors', { id: `${name}.md` })).not.toContain('isError');
  });

  it.each([
    ['signs of a heading', `a${'#'.repeat(600_000)}x`],
    ['an open link', `[[${'|'.repeat(600_000)}]`],
    ['letters', 'a '.repeat(300_000)],
    ['slashes', `${'a/'.repeat(300_000)}b`],
  ])('H-01 a name that is asked for: %s', async (_, id) => {
    const calls = [
      ['get_node', { id }],
      ['get_neighbors', { id }],
      ['search_by_tags', { tags: [id] }],
      ['list_nodes', { path: id }],
      ['open_nodes', { names: [id] }],
      ['rename', { changes: [{ from: id, to: 'b' }] }],
    ] as const;
    for (const [name, args] of calls) expect(await ask(name, args), name).toBeDefined();
  });

  it.each([
    ['any folders, again and again', `${'a/**/'.repeat(12)}b`],
    ['any folders up to a folder', `${'a/**/'.repeat(12)}b/`],
    ['stars in a name', `${'*a'.repeat(40)}b`],
    ['both', `${'**/*a*a/'.repeat(20)}b`],
  ])('H-01 an "ignore" pattern: %s', (_, pattern) =>
    withVault(
      {
        '.rouxrc.json': JSON.stringify({ ignore: [pattern, '/private/'] }),
        [`${'a/'.repeat(60)}c.md`]: 'Deep.\n',
        [`${'a'.repeat(200)}.md`]: 'Long.\n',
        'private/secret.md': 'Hidden.\n',
      },
      async ({ root }) => {
        const list = await output(['list', '--vault', root]);
        expect(list).toContain('a/c.md');
        expect(list).toContain('aaa.md');
        expect(list).not.toContain('secret');
      },
    ),
  );

  it('H-01 200 excluded-files filters have one budget together, and a warning says where it was not enough', () => {
    const userIgnoreFilters = ['private/', ...upTo(199).map((at) => `/(a?){190}(a*)*[${at}]b/`)];
    const notes = upTo(100).map((at) => [`${at}/${'a'.repeat(200)}/${'a'.repeat(200)}.md`, 'Long.\n'] as const);
    const files = {
      ...Object.fromEntries(notes),
      'private/secret.md': 'Hidden.\n',
      '.obsidian/app.json': JSON.stringify({ userIgnoreFilters }),
    };
    return withVault(files, async ({ root }) => {
      const list = await output(['list', '--limit', '200', '--vault', root]);
      expect(list.match(/a\.md/g)).toHaveLength(100);
      expect(list).not.toContain('secret');
      expect(await output(['doctor', '--vault', root]).catch(String)).toContain('too many steps');
    });
  });
});
