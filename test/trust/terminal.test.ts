import { describe, expect, it } from 'vitest';
import { cli, cliProcess } from '../support/program/cli.ts';
import type { CliResult } from '../support/program/cli.ts';
import { withMcp } from '../support/program/mcp-client.ts';
import { withVault } from '../support/vault.ts';

/** What a terminal would act on: colours, titles, links, the C1 forms of the same, and marks that turn text around. */
const EVIL = '\u001b[2J\u001b]0;title\u0007\u0008\u007f\u009b31m\u202eturned\u202c\u2066x\u2069\u0085';
const SHOWN = '\\x1b[2J\\x1b]0;title\\x07\\x08\\x7f\\x9b31m\\u202eturned\\u202c\\u2066x\\u2069\\x85';
/** File systems take all of it, so that a clone may bring it; the second one is served, the first one told of. */
const NAMES = ['n\u001b[31mame\u009b\u202e', 'name\u202e\u2066'];

const ACTED_ON = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
/** On a slow machine there is a line of progress, which is taken back by this. */
const PROGRESS = '\r\u001b[K';
const actedOn = (text: string): readonly string[] =>
  (text.replaceAll(PROGRESS, '').match(ACTED_ON) ?? []).filter((each) => each !== '\n' && each !== '\t');

/** Without what roux itself paints there: bold, dim, yellow and their ends. */
const unpainted = (text: string): string => [1, 2, 22, 33, 39].reduce((rest, code) => rest.replaceAll(`\u001b[${code}m`, ''), text);

const inTerminal = (args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> => cli(args, { env, isTerminal: true });

const vault = {
  'evil.md': `---\ntitle: "t${'\\x1b'}[31m\\u009b\\u202e"\ntags: ["x\\u001b[5m"]\ntype: "y\\e[1m"\n---\n${EVIL} apple [[go\u202ene]] [[other]]\r\n`,
  'other.md': 'apple [[evil]]\n',
  ...Object.fromEntries(NAMES.flatMap((name) => [`${name}.md`, `${name}/deep.md`].map((path) => [path, 'apple\n']))),
  'memory/person/eve.md': `---\ntype: entity\nkind: "p${'\\e'}[1m"\n---\n## Observations\n\n- \u001b[31mred\u009b\n`,
};

describe('what a person reads in a terminal', () => {
  it.each([
    [['get', 'evil']],
    [['search', 'apple']],
    [['links', 'evil']],
    [['backlinks', 'other']],
    [['unresolved']],
    [['orphans']],
    [['deadends']],
    [['tags']],
    [['hubs']],
    [['path', 'evil', 'other']],
    [['doctor']],
    [['doctor', '--dry-run']],
    [['export', '--format', 'graphml']],
    [['export']],
    [['update', 'evil', '--content', 'EVIL new', '--dry-run']],
    [['get', 'xEVIL']],
    [['get', 'evil', '--EVIL']],
    [['get', 'evil', 'a', 'EVIL']],
    [['EVIL']],
    [['search', 'apple', '--limit', 'EVIL']],
    [['create', 'tEVIL']],
    [['create', 'new', '--directory', 'dEVIL']],
    [['create', 'new', '--set', 'EVIL']],
    [['move', 'evil', 'dEVIL']],
    [['history', 'hEVIL']],
    [['restore', 'rEVIL']],
    [['undo', 'uEVIL']],
    [['next', '--project', 'pEVIL']],
    [['tree', '--project', 'pEVIL']],
    [['done', 'tEVIL']],
    [['import', '/nowhere/EVIL']],
    [['export', '--format', 'EVIL']],
    [['key', 'EVIL', 'x']],
    [['init', '--client', 'EVIL']],
    [['git', 'EVIL']],
    [['mcp', '--toolsets', 'EVIL']],
    [['serve', '--tools', 'EVIL']],
    [['get', 'evil', '--vault', '/nowhere/EVIL']],
  ])('holds nothing that the terminal acts on: roux %j', (args) =>
    withVault(vault, async ({ root }) => {
      const where = args.includes('--vault') ? [] : ['--vault', root];
      const { status, stdout, stderr } = await inTerminal([...args.map((arg) => arg.replace('EVIL', EVIL)), ...where]);
      expect({ status, acted: [actedOn(stdout), actedOn(stderr)] }).toEqual({ status: expect.any(Number), acted: [[], []] });
      expect(`${stdout}${stderr}`).not.toBe('');
    }),
  );

  it('holds nothing of the kind as the built program prints it, either', () =>
    withVault(vault, async ({ root }) => {
      for (const args of [
        ['get', 'evil'],
        ['get', `x${EVIL}`],
      ]) {
        const { stdout, stderr } = await cliProcess([...args, '--vault', root], { isTerminal: true });
        expect([actedOn(stdout), actedOn(stderr)]).toEqual([[], []]);
        expect(`${stdout}${stderr}`).toContain(SHOWN);
      }
    }));

  it('shows what was there instead of hiding it, and colours only what roux paints', () =>
    withVault(vault, async ({ root }) => {
      const { stdout } = await inTerminal(['get', 'evil', '--vault', root]);
      expect(stdout).toContain(`${SHOWN} apple`);
      const { stderr } = await inTerminal(['get', `x${EVIL}\nroux get: done`, '--vault', root]);
      expect(stderr).toContain(`x${SHOWN}\\x0aroux get: done`);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      const colored = await inTerminal(['search', 'apple', '--vault', root], { NO_COLOR: '' });
      expect(colored.stdout).toContain('\u001b[1mt\\x1b[31m\\x9b\\u202e\u001b[22m');
      expect(unpainted(colored.stdout)).toBe((await inTerminal(['search', 'apple', '--vault', root])).stdout);
    }));

  it('makes no lines of its own: neither of a task that is named so, nor of a folder in the trash', () =>
    withVault({ 'projects/p/p.md': '---\nid: t_p\ntype: project\n---\n', 'a.md': 'A\n' }, async (files) => {
      files.write(
        'projects/p/evil.md',
        '---\nid: "t_evil\\n✓ done  t_forged"\ntype: task\nproject: p\nparent: "[[p]]"\nsummary: Evil\n---\n',
      );
      files.write('.roux/trash/x\nforged.md  01aaa/a.md', 'A\n');
      const answers = await Promise.all(
        [['tree'], ['next'], ['done', 't_evil\n✓ done  t_forged'], ['restore']].map((args) => inTerminal([...args, '--vault', files.root])),
      );
      const lines = answers.flatMap(({ stdout, stderr }) => `${stdout}${stderr}`.split('\n').map(unpainted));
      expect(lines.filter((line) => line.includes('t_evil')).length).toBeGreaterThan(0);
      expect(lines.filter((line) => line.startsWith('✓ done') || line.startsWith('forged'))).toEqual([]);
    }));

  it('is as safe on stderr where that is a file, in lists that go into a pipe, and in what a server tells', () =>
    withVault({ ...vault, 'bad.md': `---\n${EVIL}: [\n---\n` }, async (evil) => {
      const { root } = evil;
      const listed = await cli(['search', 'apple', '--vault', root]);
      expect(actedOn(listed.stdout + listed.stderr)).toEqual([]);
      expect(listed.stdout).toContain('name\\u202e\\u2066.md');
      expect(actedOn((await cli(['get', EVIL, '--vault', root])).stderr)).toEqual([]);
      evil.write('.rouxrc.json', `{"${EVIL}": 1}`);
      expect(actedOn((await cli(['get', 'evil', '--vault', root])).stderr)).toEqual([]);
      evil.write('.rouxrc.json', '{}');
      await withMcp(
        { root },
        async ({ client, call, stderr }) => {
          await call('get_node', { id: EVIL });
          await call(`tool${EVIL}`);
          await client.readResource({ uri: `roux://note/${EVIL}` }).catch(() => undefined);
          expect(actedOn(stderr())).toEqual([]);
        },
        { env: { ROUX_LOG: 'info' } },
      );
    }));

  it('is JSON with --json, in which nothing acts either, and which reads back as it was', () =>
    withVault(vault, async ({ root }) => {
      for (const args of [['get', 'evil'], ['search', 'apple'], ['unresolved'], ['tags'], ['doctor'], ['get', `x${EVIL}`]]) {
        for (const run of [cli, inTerminal]) {
          const { stdout, stderr } = await run([...args, '--json', '--vault', root]);
          expect(actedOn(stdout + stderr), args.join(' ')).toEqual([]);
          expect(() => JSON.parse(stdout) as unknown).not.toThrow();
        }
      }
      const { stdout } = await cli(['get', 'evil', '--json', '--vault', root]);
      expect(JSON.parse(stdout).content).toContain(EVIL);
      const refused = JSON.parse((await cli(['get', `x${EVIL}`, '--json', '--vault', root])).stdout);
      expect(refused.error).toMatchObject({ code: 'NODE_NOT_FOUND', details: { id: `x${EVIL}` } });
    }));

  it('a note, a difference and an export go into a pipe or a file as they are', () =>
    withVault({ ...vault, 'plain.md': 'no end' }, async (evil) => {
      const { root } = evil;
      expect((await cli(['get', 'evil', '--vault', root])).stdout).toBe(evil.read('evil.md'));
      expect((await cli(['get', 'plain', '--vault', root])).stdout).toBe('no end');
      const { stdout: diff } = await cli(['update', 'other', '--content', `${EVIL}\r\n`, '--dry-run', '--vault', root]);
      expect(diff).toContain(`+${EVIL}\r\n`);
      expect((await cli(['export', '--format', 'json', '--vault', root])).stdout).toContain('red');
    }));
});
