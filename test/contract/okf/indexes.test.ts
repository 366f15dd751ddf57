import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const NOTES = {
  'index.md': '---\nokf_version: "0.2"\n---\n\nMy words.\n\n# Mine\n',
  'beds/tomato.md': '---\ntype: Bed\ntitle: "Tomatoes [red]"\ndescription: |\n  In the <b>south</b>,\n  beside beans.\n---\n',
  'beds/bean.md': '---\ntype: Bed\n---\n',
  'beds/hot/chili pepper.md': '---\ntype: Plant\n---\n',
  'beds/plan.py': 'print()\n',
  'rules/index.md': 'Kept by hand.\n\n<!-- roux:index -->\nold\n<!-- /roux:index -->\n\nBelow, too.\n',
  'rules/water.md': '---\ntype: Rule\n---\n',
};

const BEDS = `<!-- roux:index -->

# Bed

* [bean](bean.md)
* [Tomatoes \\[red\\]](tomato.md) - In the \\<b>south\\</b>, beside beans.

# Subdirectories

* [hot](hot/index.md) - 1 concept: Plant

# Files

* [plan.py](plan.py)

<!-- /roux:index -->
`;

it('G-04 okf index writes the index of every folder; a dry run writes nothing, and what a person wrote stays', () =>
  withVault(NOTES, async (vault) => {
    const dry = await cli(['okf', 'index', '--log', '--vault', vault.root, '--json']);
    expect(JSON.parse(dry.stdout)).toEqual({
      written: false,
      files: [
        { path: 'index.md', what: 'yours' },
        { path: 'beds/index.md', what: 'new' },
        { path: 'beds/hot/index.md', what: 'new' },
        { path: 'rules/index.md', what: 'changed' },
        { path: 'log.md', what: 'new' },
      ],
    });
    expect(vault.exists('beds/index.md')).toBe(false);
    expect((await cli(['okf', 'index', '--log', '--write', '--vault', vault.root])).status).toBe(0);
    expect(vault.read('index.md')).toBe(NOTES['index.md']);
    expect(vault.read('beds/index.md')).toBe(BEDS);
    expect(vault.read('beds/hot/index.md')).toContain('* [chili pepper](chili%20pepper.md)\n');
    expect(vault.read('rules/index.md')).toBe(
      'Kept by hand.\n\n<!-- roux:index -->\n\n# Rule\n\n* [water](water.md)\n\n<!-- /roux:index -->\n\nBelow, too.\n',
    );
    const again = await cli(['okf', 'index', '--log', '--vault', vault.root]);
    expect(again.stdout).toBe('yours  index.md\n');
    expect((await cli(['okf', 'check', '--vault', vault.root])).status).toBe(0);
  }));

it('G-04 the log of a bundle tells what the history knows, newest first, and keeps what a person wrote around it', () =>
  withVault(NOTES, async (vault) => {
    const run = async (...args: string[]) => {
      const { status, stderr } = await cli([...args, '--vault', vault.root]);
      expect([status, stderr], args.join(' ')).toEqual([0, expect.anything()]);
    };
    await run('create', 'Pea', '-d', 'beds', '--type', 'Bed');
    await run('update', 'rules/water.md', '--set', '{"wet": true}');
    await run('rename', 'beds/bean.md', 'broad bean');
    await run('delete', 'beds/hot/chili pepper.md');
    await run('okf', 'index', '--log', '--write');
    const log = vault.read('log.md');
    expect(log).toMatch(/^# Log\n\n<!-- roux:log -->\n\n## \d{4}-\d\d-\d\d\n\n/);
    expect(log).toContain('* **Removal**: chili pepper\n');
    expect(log).toContain('* **Renaming**: [broad bean](/beds/broad-bean.md)\n');
    expect(log).toContain('* **Update**: [water](/rules/water.md)\n');
    expect(log).toMatch(/\* \*\*Creation\*\*: \[Pea\]\(\/beds\/[pP]ea\.md\)\n/);
    vault.write(
      'log.md',
      log
        .replace('# Log\n', '# My garden\n\nSince 2020.\n')
        .replace('<!-- /roux:log -->', '\n## 2020-01-01\n\n* **Creation**: kept\n<!-- /roux:log -->'),
    );
    await run('delete', 'rules/water.md');
    await run('okf', 'index', '--write');
    expect(vault.read('log.md')).toMatch(/^# My garden\n\nSince 2020\.\n\n<!-- roux:log -->\n/);
    expect(vault.read('log.md')).toContain('* **Removal**: water\n');
    expect(vault.read('log.md')).toContain('\n## 2020-01-01\n\n* **Creation**: kept\n');
    expect((await cli(['okf', 'check', '--vault', vault.root])).status).toBe(0);
  }));

it('G-04 a server keeps generated files up to date only if the setting says so, and never makes one or touches those of people', () =>
  withVault({ ...NOTES, 'beds/index.md': BEDS }, async (vault) => {
    const add = '---\ntype: Rule\ntitle: Sun\n---\n';
    await withServer(vault, async ({ ask }) => {
      await ask('create_node', { title: 'Off', path: 'rules/off.md', type: 'Rule' });
    });
    expect(vault.read('rules/index.md')).toBe(NOTES['rules/index.md']);
    await withServer(
      vault,
      async ({ ask }) => {
        await ask('list_nodes', {});
        vault.write('rules/sun.md', add);
        await waitFor(() => vault.read('rules/index.md').includes('[Sun](sun.md)'));
        expect(vault.read('rules/index.md')).toMatch(/^Kept by hand\.\n[\s\S]*\nBelow, too\.\n$/);
        // The folder `hot` has no index, and gets none.
        await waitFor(() => vault.read('beds/index.md').includes('* [hot](hot/) - 1 concept: Plant'));
        expect([vault.exists('beds/hot/index.md'), vault.exists('log.md')]).toEqual([false, false]);
        expect(vault.read('index.md')).toBe(NOTES['index.md']);
      },
      { env: { ROUX_OKF_INDEXES: 'keep' } },
    );
  }));

it('G-04 a vault that is no bundle gets no index', () =>
  withVault({ 'index.md': 'Home.\n', 'a.md': 'A.\n' }, async (vault) => {
    const { status, stderr } = await cli(['okf', 'index', '--write', '--vault', vault.root]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('okf_version')]);
    expect(vault.files()).toEqual(['a.md', 'index.md']);
  }));

it('G-04 marks in a code block are an example, and what is between them stays', () =>
  withVault(
    {
      'index.md': '---\nokf_version: "0.2"\n---\n# Notes\n\n~~~~\n```\n~~~~\n\n<!-- roux:index -->\n<!-- /roux:index -->\n',
      'a/x.md': '---\ntype: M\n---\n',
      'a/index.md': '# How it is done\n\n````markdown\n```\n<!-- roux:index -->\nMine.\n<!-- /roux:index -->\n````\n',
    },
    async (vault) => {
      const before = vault.read('a/index.md');
      expect((await cli(['okf', 'index', '--write', '--vault', vault.root])).stdout).toContain('yours  a/index.md');
      expect(vault.read('a/index.md')).toBe(before);
      expect(vault.read('index.md')).toContain('[a](a/index.md)');
    },
  ));

it('G-04 what has the name of an index and is no note stays, and the other indexes are written', () =>
  withVault(
    {
      'index.md': '---\nokf_version: "0.2"\n---\n<!-- roux:index -->\n<!-- /roux:index -->\n',
      ...Object.fromEntries(['cased', 'folder', 'linked', 'plain'].map((folder) => [`${folder}/x.md`, '---\ntype: M\n---\n'])),
      'cased/Index.md': '---\ntype: M\n---\n',
    },
    async (vault) => {
      mkdirSync(vault.path('folder/index.md'));
      symlinkSync('nowhere.md', vault.path('linked/index.md'));
      const run = async (...more: string[]) => (await cli(['okf', 'index', ...more, '--vault', vault.root])).stdout;
      const yours = 'yours  cased/index.md\nyours  folder/index.md\nyours  linked/index.md\n';
      expect(await run()).toBe(`changed  index.md\n${yours}new  plain/index.md\n`);
      expect(await run('--write')).toContain('plain/index.md');
      expect(await run()).toBe(yours);
      expect(vault.read('plain/index.md')).toContain('[x](x.md)');
      expect(vault.read('index.md')).toMatch(/\(linked\/\)[\s\S]*\(plain\/index\.md\)/);
    },
  ));

it('G-04 each bundle has the log of its own notes', () =>
  withVault({ 'index.md': NOTES['index.md'], 'in/index.md': NOTES['index.md'] }, async (vault) => {
    await cli(['create', 'Outer', '--type', 'T', '--vault', vault.root]);
    await cli(['create', 'Inner', '-d', 'in', '--type', 'T', '--vault', vault.root]);
    expect((await cli(['okf', 'index', '--log', '--write', '--vault', vault.root])).status).toBe(0);
    const linesOf = (path: string) => [...vault.read(path).matchAll(/^\* .*$/gm)].map(String);
    expect(linesOf('log.md')).toEqual([expect.stringMatching(/\*Creation\*.*\[Outer\]\(\/outer\.md\)$/i)]);
    expect(linesOf('in/log.md')).toEqual([expect.stringMatching(/\*Creation\*.*\[Inner\]\(\/inner\.md\)$/i)]);
  }));
