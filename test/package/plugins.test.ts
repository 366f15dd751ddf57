import { spawn } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { pluginCopies, pluginFiles } from '../../scripts/package/plugin-files.ts';
import { readPublished } from '../../scripts/package/publisher.ts';
import { program, testEnvironment } from '../support/program/cli.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';

const read = (file: string): string => readFileSync(join(repositoryRoot, file), 'utf8');
const json = (file: string): unknown => JSON.parse(read(file));

/** A hook of Claude Code and Codex (seconds): https://code.claude.com/docs/en/hooks, https://developers.openai.com/codex/hooks */
const hook = z.strictObject({ type: z.literal('command'), command: z.string(), timeout: z.int().min(1).max(60) });
const matchers = { claude: ['startup', 'resume', 'clear', 'compact', 'fork'], codex: ['startup', 'resume', 'clear', 'compact'] };
const hooksFile = (sources: readonly string[]) =>
  z.strictObject({
    hooks: z.strictObject({
      SessionStart: z.tuple([
        z.strictObject({
          matcher: z.string().refine((text) => text.split('|').every((source) => sources.includes(source)) && text.includes('compact')),
          hooks: z.tuple([hook]),
        }),
      ]),
      SessionEnd: z.tuple([z.strictObject({ hooks: z.tuple([hook]) })]),
    }),
  });

/** https://github.com/cursor/plugins/blob/main/schemas/plugin.schema.json, and the hooks of the plugins there. */
const author = z.strictObject({ name: z.string(), email: z.string().optional() });
const cursorPlugin = z.strictObject({
  name: z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/),
  version: z.string(),
  description: z.string(),
  author,
  homepage: z.url().optional(),
  repository: z.url().optional(),
  license: z.string(),
  keywords: z.array(z.string()),
  skills: z.literal('./skills/'),
  hooks: z.literal('./hooks/hooks.json'),
});
const cursorHook = z.tuple([z.strictObject({ command: z.string(), timeout: z.int() })]);
const cursorHooks = z.strictObject({ version: z.literal(1), hooks: z.strictObject({ sessionStart: cursorHook, sessionEnd: cursorHook }) });

/** https://geminicli.com/docs/extensions/reference and …/hooks/reference: milliseconds. */
const geminiExtension = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  version: z.string(),
  description: z.string(),
  settings: z.array(z.strictObject({ name: z.string(), description: z.string(), envVar: z.string(), sensitive: z.boolean() })),
  mcpServers: z.strictObject({ roux: z.strictObject({ command: z.string(), args: z.array(z.string()) }) }),
});
const geminiHook = z.tuple([
  z.strictObject({
    hooks: z.tuple([z.strictObject({ name: z.string(), type: z.literal('command'), command: z.string(), timeout: z.int().min(1_000) })]),
  }),
]);
const geminiHooks = z.strictObject({ hooks: z.strictObject({ SessionStart: geminiHook, SessionEnd: geminiHook }) });

const codexMarketplace = z.strictObject({
  name: z.string(),
  interface: z.strictObject({ displayName: z.string() }),
  plugins: z.tuple([
    z.strictObject({
      name: z.literal('roux'),
      source: z.strictObject({ source: z.literal('local'), path: z.literal('./plugin/codex') }),
      policy: z.strictObject({ installation: z.literal('AVAILABLE'), authentication: z.literal('ON_INSTALL') }),
      category: z.string(),
    }),
  ]),
});

describe('O-04 the plugins', () => {
  it('O-04 are as each client wants them, and their files are those that are generated', () => {
    hooksFile(matchers.claude).parse(json('plugin/hooks/hooks.json'));
    hooksFile(matchers.codex).parse(json('plugin/codex/hooks/hooks.json'));
    cursorPlugin.parse(json('plugin/codex/.codex-plugin/plugin.json'));
    codexMarketplace.parse(json('.agents/plugins/marketplace.json'));
    cursorPlugin.parse(json('plugin/cursor/.cursor-plugin/plugin.json'));
    cursorHooks.parse(json('plugin/cursor/hooks/hooks.json'));
    geminiExtension.parse(json('plugin/gemini/gemini-extension.json'));
    geminiHooks.parse(json('plugin/gemini/hooks/hooks.json'));
    for (const [file, value] of Object.entries(pluginFiles(readPublished()))) expect(json(file), file).toEqual(value);
    for (const [file, text] of Object.entries(pluginCopies(read))) expect(read(file), file).toBe(text);
  });

  it('O-04 commands have a description and say what to do with the tools that there are', () => {
    for (const name of ['prime', 'next', 'handoff', 'remember']) {
      const [, head = '', body = ''] = /^---\n([^]*?)---\n([^]*)$/.exec(read(`plugin/commands/${name}.md`)) ?? [];
      expect(Object.keys(parse(head) as object).every((key) => ['description', 'argument-hint'].includes(key))).toBe(true);
      expect(body).toContain('$ARGUMENTS');
      const toml = read(`plugin/gemini/commands/roux/${name}.toml`);
      expect(toml).toMatch(/^description = ".+"\nprompt = """\n[^]*\{\{args\}\}[^]*"""\n$/);
    }
  });
});

/** Runs a hook as a client does: its command in a shell, the event on the standard input, `roux` on the path. */
function runHook(
  command: string,
  event: object,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', command], { cwd, env: testEnvironment(env) });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(event));
  });
}

/** A folder with a program called roux, and a PATH on which it comes first. */
function withRoux<T>(script: string, run: (path: string) => Promise<T>): Promise<T> {
  return withVault({ roux: script }, (bin) => {
    chmodSync(bin.path('roux'), 0o755);
    return run([bin.root, '/usr/bin', '/bin'].join(delimiter));
  });
}

const RUNS_ROUX = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`;
const SILENT = { status: 0, stdout: '', stderr: '' };

describe.skipIf(process.platform === 'win32')('O-04 the hooks', () => {
  const CLIENTS: readonly (readonly [
    client: string,
    file: string,
    event: string,
    variables: (root: string, vault: TestVault) => Record<string, string>,
  ])[] = [
    ['Claude Code', 'plugin', 'SessionStart', (root, vault) => ({ CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_OPTION_VAULT: vault.root })],
    ['Codex', 'plugin/codex', 'SessionStart', (root, vault) => ({ PLUGIN_ROOT: root, ROUX_VAULT: vault.root })],
    ['Cursor', 'plugin/cursor', 'sessionStart', (root, vault) => ({ CURSOR_PLUGIN_ROOT: root, ROUX_VAULT: vault.root })],
    ['Gemini CLI', 'plugin/gemini', 'SessionStart', (_, vault) => ({ ROUX_VAULT: vault.root })],
  ];
  const commandOf = (folder: string, event: string): string => {
    const { hooks } = json(`${folder}/hooks/hooks.json`) as {
      hooks: Record<string, [{ command?: string; hooks?: [{ command: string }] }]>;
    };
    const [group] = hooks[event] ?? [];
    // Gemini CLI puts the folder in; for the others it is a variable of the shell.
    return (group?.command ?? group?.hooks?.[0].command ?? '').replaceAll('${extensionPath}', join(repositoryRoot, folder));
  };

  it.each(CLIENTS)('O-04 of %s adds what matters in the named vault, wherever the session is', (_, folder, event, variables) =>
    withRoux(RUNS_ROUX, (PATH) =>
      withVault({ 'a note.md': 'A\n' }, (vault) =>
        withVault({ 'code.txt': '' }, async (project) => {
          const env = { PATH, ...variables(join(repositoryRoot, folder), vault) };
          const { status, stdout, stderr } = await runHook(
            commandOf(folder, event),
            { hook_event_name: event, cwd: project.root },
            { cwd: project.root, env },
          );
          expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
          const answer = JSON.parse(stdout) as { additional_context?: string; hookSpecificOutput?: Record<string, string> };
          const text = answer.additional_context ?? answer.hookSpecificOutput?.['additionalContext'];
          expect(text).toContain('- 1 note');
          expect(answer.hookSpecificOutput?.['hookEventName'] ?? 'sessionStart').toBe(event);
          const end = event === 'sessionStart' ? 'sessionEnd' : 'SessionEnd';
          expect(await runHook(commandOf(folder, end), { hook_event_name: end, reason: 'other' }, { cwd: project.root, env })).toEqual(
            SILENT,
          );
          expect(vault.list('.')).toEqual(['a note.md']);
        }),
      ),
    ),
  );

  it('O-04 are silent and end well where roux is missing, fails or is told nothing, and where there is no vault', () =>
    withVault({ 'code.txt': '' }, async (project) => {
      const command = commandOf('plugin', 'SessionStart');
      const event = { hook_event_name: 'SessionStart', source: 'startup' };
      const env = { CLAUDE_PLUGIN_ROOT: join(repositoryRoot, 'plugin') };
      expect(await runHook(command, event, { cwd: project.root, env: { ...env, PATH: '/usr/bin:/bin' } })).toEqual(SILENT);
      await withRoux('#!/bin/sh\necho broken >&2\nexit 2\n', async (PATH) =>
        expect(await runHook(command, event, { cwd: project.root, env: { ...env, PATH } })).toEqual(SILENT),
      );
      await withRoux(RUNS_ROUX, async (PATH) => {
        for (const vault of ['', join(project.root, 'nowhere')])
          expect(await runHook(command, event, { cwd: project.root, env: { ...env, PATH, CLAUDE_PLUGIN_OPTION_VAULT: vault } })).toEqual(
            SILENT,
          );
      });
    }));

  it('O-04 start no program of the folder that is open, however PATH leads there', () =>
    withVault({ roux: '#!/bin/sh\ntouch started\necho started\n', '.rouxrc.json': '{}\n' }, async (project) => {
      chmodSync(project.path('roux'), 0o755);
      const env = { CLAUDE_PLUGIN_ROOT: join(repositoryRoot, 'plugin'), CLAUDE_PROJECT_DIR: project.root };
      for (const first of ['.', '', project.root, `${project.root}/../${project.root.split('/').at(-1)}`]) {
        const PATH = [first, '/usr/bin', '/bin'].join(delimiter);
        expect(
          await runHook(
            commandOf('plugin', 'SessionStart'),
            { hook_event_name: 'SessionStart' },
            { cwd: project.root, env: { ...env, PATH } },
          ),
        ).toEqual(SILENT);
      }
      expect(project.exists('started')).toBe(false);
    }));

  it('O-04 start no program that the packages of a folder above brought', () =>
    withVault({ 'node_modules/.bin/roux': '#!/bin/sh\ntouch started\necho started\n', 'packages/a/code.txt': '' }, async (project) => {
      chmodSync(project.path('node_modules/.bin/roux'), 0o755);
      const cwd = project.path('packages/a');
      const PATH = [project.path('node_modules/.bin'), '/usr/bin', '/bin'].join(delimiter);
      const env = { CLAUDE_PLUGIN_ROOT: join(repositoryRoot, 'plugin'), CLAUDE_PROJECT_DIR: cwd, PATH };
      expect(await runHook(commandOf('plugin', 'SessionStart'), { hook_event_name: 'SessionStart' }, { cwd, env })).toEqual(SILENT);
      expect(project.exists('packages/a/started')).toBe(false);
    }));
});
