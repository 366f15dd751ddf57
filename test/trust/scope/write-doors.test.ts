import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isThin } from '../../faces/stdio/mcp-lines.ts';
import { hasGit, withGitVault } from '../../support/git.ts';
import { cli } from '../../support/program/cli.ts';
import { withServe } from '../../support/program/http-server.ts';
import { openMcp, withMcp } from '../../support/program/mcp-client.ts';
import type { McpProcess } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ask as askServer } from './ask.ts';
import { addToken } from './scoped-vault.ts';

const LIMITED = { flags: ['--write-folders', 'notes/agents'], clientName: 'limited' };
const OUT = { title: 'Out', directory: 'private' };
const IN = { title: 'In', directory: 'notes/agents' };

const isLimited = async ({ call, client }: McpProcess): Promise<boolean> => {
  const { isError, texts } = await call('create_node', { ...OUT, dry_run: true });
  const says = client.getInstructions()?.includes('Writes only in notes/agents.') === true;
  const lists = (await client.listTools()).tools.some(({ description }) => description?.includes('Writes only in notes/agents.') === true);
  expect([says, lists]).toEqual([isError, isError]);
  if (isError) expect(texts.join('')).toContain('would write private/out.md');
  return isError;
};

describe('O-03 each connection has its own folders', () => {
  it.each([
    ['a relay of a process without', [], LIMITED.flags],
    ['a relay of a process with them', LIMITED.flags, []],
    ['a relay of a process with others', ['--write-folders', 'private'], LIMITED.flags],
  ])('O-03 %s', (_, first, second) =>
    withVault({ 'a.md': 'a\n' }, (vault) =>
      withMcp(
        vault,
        async (one) => {
          await one.ask('get_node', { id: 'a' });
          await withMcp(
            vault,
            async (two) => {
              expect(await isLimited(two)).toBe(second.length > 0);
              expect(isThin(two.pid)).toBe(true);
              expect((await one.call('create_node', { ...OUT, dry_run: true })).isError).toBe(first === LIMITED.flags);
            },
            { flags: second },
          );
        },
        { flags: first },
      ),
    ),
  );

  it('O-03 stays limited when its server dies, and those that it serves then are not', () =>
    withVault({ 'a.md': 'a\n' }, async (vault) => {
      const limited = await withServe(vault, [], async () => {
        const opened = await openMcp(vault, LIMITED);
        expect(await isLimited(opened)).toBe(true);
        expect(isThin(opened.pid)).toBe(true);
        return opened;
        // Killed here.
      });
      expect(await isLimited(limited)).toBe(true);
      await withMcp(vault, async (free) => {
        expect(await isLimited(free)).toBe(false);
        expect(isThin(free.pid)).toBe(true);
      });
      expect((await limited.ask('create_node', IN)).path).toBe('notes/agents/in.md');
      await limited.close();
    }));

  it('O-03 roux serve has them for everybody, the page and the owner included', () =>
    withVault({ 'private/plain.md': 'a\n' }, (vault) =>
      withServe(vault, LIMITED.flags, async ({ url }) => {
        const refused = await askServer(url, '', 'create_page', { title: 'private/out' });
        expect([refused.status, refused.value.error.message]).toEqual([403, expect.stringContaining('would write private/out.md')]);
        expect((await askServer(url, '', 'create_node', IN)).status).toBe(200);
        expect((await askServer(url, '', 'get_node', { id: 'plain' })).status).toBe(200);
      }),
    ));

  it('O-03 a token for other folders is told that it can write nowhere, and one for some of them where', () =>
    withVault({ 'private/plain.md': 'a\n', 'notes/b.md': 'b\n' }, async (vault) => {
      const [elsewhere, around] = [
        await addToken(vault, 'elsewhere', 'write', ['private']),
        await addToken(vault, 'around', 'write', ['notes']),
      ];
      await withServe(
        vault,
        LIMITED.flags,
        async ({ url }) => {
          for (const [operation, args] of [
            ['create_node', OUT],
            ['create_node', IN],
            ['create_node', { title: 'Anywhere' }],
            ['create_node', { ...OUT, dry_run: true }],
            ['update_node', { id: 'plain', append: 'more' }],
          ] as const) {
            const { status, value } = await askServer(url, elsewhere, operation, args);
            expect({ args, status, told: value.error?.message }).toEqual({
              args,
              status: 403,
              told: `${operation} can write nowhere with this token: it is for private, and only notes/agents may be written here. Nothing was written. Use a token for the whole vault.`,
            });
          }
          expect((await askServer(url, elsewhere, 'get_node', { id: 'plain' })).status).toBe(200);
          expect((await askServer(url, around, 'create_node', { title: 'Out', directory: 'notes' })).value.error.message).toBe(
            'create_node would write notes/out.md, but only notes/agents may be written here. Nothing was written.',
          );
          expect((await askServer(url, around, 'create_node', IN)).status).toBe(200);
        },
        { ROUX_HTTP_AUTH: 'token' },
      );
      expect(vault.files()).toEqual(['notes/agents/in.md', 'notes/b.md', 'private/plain.md']);
    }));

  it('O-03 a setting that names no folder is refused before anything is served', () =>
    withVault({ 'a.md': 'a\n' }, async (vault) => {
      for (const [given, told] of [
        ['../up', /it is no folder of a vault/],
        ['a/**b', /whole folders/],
        ['', /writes\.folders/],
      ] as const) {
        const { status, stderr } = await cli(['mcp', vault.root, '--write-folders', given]);
        expect({ given, status, stderr }).toEqual({ given, status: 2, stderr: expect.stringMatching(told) });
      }
    }));
});

describe('O-03 what is written besides files of the vault', () => {
  it.runIf(hasGit)('O-03 a claim in a repository, which changes no note, is refused for a task outside', () =>
    withGitVault({ 'notes/a.md': 'a\n' }, async (vault) => {
      const [task = ''] = await withMcp(vault, async ({ ask }) => {
        await ask('graph_open', { project: 'shed', goal: 'A shed' });
        const { created } = await ask('graph_plan', { nodes: [{ ref: 'a', parent_ref: 'shed', summary: 'Paint' }] });
        return created.map(({ id }: { id: string }) => id) as string[];
      });
      await withMcp(
        vault,
        async ({ call, ask }) => {
          const { isError, texts } = await call('graph_next', { claim: true, project: 'shed' });
          expect([isError, texts.join('')]).toEqual([true, expect.stringMatching(/FORBIDDEN.*would write projects\/shed\//)]);
          expect(JSON.stringify(await ask('graph_context', { node_id: task }))).not.toContain('claimed_by');
        },
        LIMITED,
      );
      await withMcp(
        vault,
        async ({ ask }) => {
          await ask('graph_next', { claim: true, project: 'shed' });
          expect(JSON.stringify(await ask('graph_context', { node_id: task }))).toContain('claimed_by');
        },
        { flags: ['--write-folders', 'projects/shed'] },
      );
    }),
  );

  it('O-03 an episode is refused where what is read from it would be written outside', () =>
    withVault({}, (vault) =>
      withMcp(
        vault,
        async ({ call }) => {
          const body = `${'Words. '.repeat(600)}\nAnn -[LIKES]-> Tea: Ann likes tea.\n`;
          for (const items of [body, 'Ann -[LIKES]-> Tea: Ann likes tea.'].map((text) => [
            { source: 'text', body: text, reference_time: '2026-01-01T00:00:00Z' },
          ])) {
            const { texts } = await call('kg_add_episodes', { input: { group_id: 'team', items } });
            expect(texts.join('')).toMatch(/FORBIDDEN.*would write knowledge\/team\/entities/);
          }
          expect(vault.files()).toEqual([]);
        },
        { flags: ['--toolsets', 'all', '--write-folders', 'knowledge/team/episodes'] },
      ),
    ));

  it('O-03 a link that is rewritten later, since its note is being saved, counts too', () =>
    withVault({ 'notes/agents/old.md': 'text\n', 'linking.md': `${'Words.\n'.repeat(40)}[[old]]\n` }, (vault) =>
      withMcp(
        vault,
        async ({ ask, call }) => {
          await ask('get_node', { id: 'linking.md' });
          vault.write('linking.md', 'Words.\n');
          await waitFor(async () => !JSON.stringify(await ask('get_neighbors', { id: 'notes/agents/old.md' })).includes('linking'), {
            what: 'the half of the save',
          });
          const { texts } = await call('rename', { changes: [{ from: 'notes/agents/old.md', to: 'new' }] });
          expect(texts.join('')).toContain('would write linking.md');
          expect(vault.exists('notes/agents/old.md')).toBe(true);
        },
        LIMITED,
      ),
    ));
});

describe('O-03 commands', () => {
  it('O-03 roux edit opens no editor on a note outside, which would write it', () =>
    withVault({ '.rouxrc.json': '{ "writes": { "folders": ["in"] } }\n', 'in/a.md': 'a\n', 'out/b.md': 'b\n' }, async (vault) => {
      const edit = (note: string) => cli(['edit', note, '--vault', vault.root], { env: { VISUAL: `sh -c 'echo more >> "$0"'` } });
      expect(await edit('b')).toMatchObject({ status: 3, stderr: expect.stringContaining('edit would write out/b.md, but only in may') });
      expect((await edit('a')).status).toBe(0);
      expect([vault.read('in/a.md'), vault.read('out/b.md')]).toEqual(['a\nmore\n', 'b\n']);
    }));

  it('O-03 an import, of a bundle too, and an index are refused before they are asked to write, and go on inside', () => {
    const okf = (more = '') => `---\nokf_version: "0.2"\n---\n# Index\n${more}`;
    const outside = {
      'logseq/config.edn': '{}\n',
      'pages/Tea.md': '- green\n',
      'bundle/a.md': '---\ntype: Note\n---\n',
      'bundle/index.md': okf(),
    };
    const settings = '{ "writes": { "folders": ["notes/agents"] } }\n';
    return withVault(outside, (given) =>
      withVault({ '.rouxrc.json': settings, 'other/index.md': okf('<!-- roux:index -->\n<!-- /roux:index -->\n') }, async (vault) => {
        const run = (...args: readonly string[]) => cli([...args, '--vault', vault.root]);
        for (const args of [
          ['import', given.root, '--dry-run'],
          ['okf', 'import', given.path('bundle'), '--to', 'there'],
          ['okf', 'index', 'other'],
        ]) {
          const { status, stderr } = await run(...args);
          expect({ args, status, stderr }).toEqual({
            args,
            status: 3,
            stderr: expect.stringContaining('only notes/agents may be written'),
          });
        }
        for (const args of [
          ['import', given.root, '--into', 'notes/agents/logseq'],
          ['okf', 'import', given.path('bundle'), '--to', 'notes/agents/okf'],
        ])
          expect({ args, status: (await run(...args)).status }).toEqual({ args, status: 0 });
        expect(vault.files()).toEqual(['.rouxrc.json', 'other/index.md']);
      }),
    );
  });
});

describe('O-03 names of folders', () => {
  it('O-03 links out of them, other case and other forms of a name', () =>
    withVault({ 'private/other.md': 'other\n', 'caf\u0065\u0301/agents/a.md': 'a\n' }, async (vault) => {
      mkdirSync(vault.path('notes/agents'), { recursive: true });
      symlinkSync('../../private', vault.path('notes/agents/linked'));
      symlinkSync('../../private/other.md', vault.path('notes/agents/other.md'));
      await withMcp(
        vault,
        async ({ call, ask }) => {
          for (const [tool, args] of [
            ['create_node', { title: 'Out', directory: 'notes/agents/linked' }],
            ['create_node', { title: 'Out', directory: 'Notes/agents' }],
            ['update_node', { id: 'notes/agents/other.md', append: 'x' }],
            ['update_node', { id: 'notes/agents/linked/other.md', append: 'x' }],
            ['rename', { changes: [{ from: 'notes/agents/other.md', to: 'mine' }] }],
          ] as const) {
            const { isError, texts } = await call(tool, args);
            expect({ tool, args, isError, told: texts.join('') }).toEqual({ tool, args, isError: true, told: expect.anything() });
          }
          expect(vault.read('private/other.md')).toBe('other\n');
          expect(vault.list('private')).toEqual(['other.md']);
          // The name that people type is composed, that of the folder need not be.
          expect((await ask('update_node', { id: 'caf\u0065\u0301/agents/a.md', append: 'more' })).batch).toBeTypeOf('string');
          expect((await ask('create_node', { title: 'First', directory: 'not/yet' })).path).toBe('not/yet/first.md');
        },
        { flags: ['--write-folders', './notes/agents/,caf\u00e9/agents/**,not/yet'] },
      );
    }));
});
