import { chmodSync, chownSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandNames, findCommand, listCommands } from '../../../src/faces/cli/command-list.ts';
import { cli, cliProcess } from '../../support/program/cli.ts';
import { sample } from '../../support/effort.ts';
import { withVault } from '../../support/vault.ts';

const notes = {
  'Compost Heap.md': '---\ntags: [soil]\n---\nGreen and brown. See [[Tomato Plant]] and [[Nowhere]].\n',
  'Tomato Plant.md': 'Red. #soil/rich\n',
  'Lonely Note.md': 'alone\n',
};

describe('the command line, reading', () => {
  it('finds every command by its own name', async () => {
    expect((await listCommands()).map((command) => command.name)).toEqual(commandNames);
    for (const name of commandNames) expect((await findCommand(name))?.name).toBe(name);
    expect(await findCommand('toString')).toBeNull();
  });

  it('says what each option is for, by the command or by the schema of its operation', async () => {
    for (const { name, options = {} } of await listCommands())
      for (const [option, { help }] of Object.entries(options)) expect(help, `${name} --${option}`).toMatch(/\w/);
  });

  it('takes choices, bounds and defaults of an option from the schema of the operation', async () => {
    const { stdout } = await cli(['search', '--help']);
    expect(stdout).toMatch(/-n, --limit N +how many \(1 to 50; default 10\)/);
    expect(stdout).toContain('(hybrid, keyword, semantic or exact; default keyword)');
    expect((await cli(['search', 'x', '--mode', 'exat'])).stderr).toContain(
      '--mode takes hybrid, keyword, semantic or exact, not "exat"; did you mean "exact"',
    );
    expect((await cli(['update', 'x', '--set', 'status=open'])).stderr).toContain('--set has to be JSON, such as');
    expect((await cli(['completion', 'tcsh'])).stderr).toContain('completion takes bash, zsh or fish, not "tcsh"');
  });

  it('prints help that names every command, and one of each; unknown words are bad usage with a suggestion', async () => {
    const help = await cli(['help']);
    expect(help.status).toBe(0);
    for (const name of ['mcp', 'serve', 'init', 'search', 'rename', 'undo', 'doctor']) expect(help.stdout).toContain(`\n  ${name}`);
    expect(help.stdout).not.toContain('\u001b');
    const own = await cli(['search', '--help']);
    expect(own).toMatchObject({ status: 0 });
    expect(own.stdout).toContain('--limit N');
    expect(await cli(['--version'])).toMatchObject({ status: 0 });
    const unknown = await cli(['serch']);
    expect(unknown).toMatchObject({ status: 2, stdout: '' });
    expect(unknown.stderr).toContain('did you mean "search"?');
    expect(await cli(['search'])).toMatchObject({ status: 2 });
    expect(await cli(['search', 'x', '--nope'])).toMatchObject({ status: 2 });
    expect(await cli(['hubs', '--vault', '/no/such/folder'])).toMatchObject({ status: 3 });
  });

  it('searches, gets, walks and lists, as text and as JSON, with a status that says whether anything was found', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      expect((await run('search', 'green')).stdout).toContain('Compost Heap.md');
      expect(JSON.parse((await run('search', 'green', '--json')).stdout)).toMatchObject([{ id: 'Compost Heap.md' }]);
      expect(await run('search', 'zzzz')).toMatchObject({ status: 1, stdout: '' });
      expect(await run('get', 'tomato plant')).toMatchObject({ status: 0, stdout: 'Red. #soil/rich\n' });
      expect(JSON.parse((await run('get', 'tomato plant', '--json')).stdout)).toMatchObject({ id: 'Tomato Plant.md', tags: ['soil/rich'] });
      // In words of the command line, not of tools.
      const missing = 'roux get: There is no note "no such". "roux search" finds it.\n';
      expect(await run('get', 'no such')).toEqual({ status: 1, stdout: '', stderr: missing });
      expect((await run('done', 'no such')).stderr).toContain('"roux tree" lists the tasks');
      expect((await run('links', 'compost heap')).stdout).toBe('Tomato Plant.md\n[[Nowhere]] (leads nowhere)\n');
      expect((await run('backlinks', 'tomato plant')).stdout).toBe(
        'Compost Heap  Compost Heap.md\n  4: Green and brown. See [[Tomato Plant]] and [[Nowhere]].\n',
      );
      expect(await run('unresolved')).toMatchObject({ status: 1, stdout: '[[Nowhere]]  in Compost Heap.md\n' });
      expect(JSON.parse((await run('orphans', '--json')).stdout)).toEqual([
        { id: 'Lonely Note.md', title: 'Lonely Note', path: 'Lonely Note.md' },
      ]);
      expect((await run('deadends')).stdout.split('\n')).toHaveLength(3);
      expect((await run('tags')).stdout).toBe('#soil  1 note\n#soil/rich  1 note\n');
      expect((await run('tags', '--tag', 'soil')).stdout.split('\n')).toHaveLength(3);
      expect((await run('path', 'tomato plant', 'compost heap')).stdout).toBe('Tomato Plant.md\nCompost Heap.md\n');
      expect(await run('path', 'tomato plant', 'lonely note')).toMatchObject({ status: 1 });
      expect(JSON.parse((await run('hubs', '--json', '-n', '1')).stdout)).toHaveLength(1);
      const doctor = await run('doctor', '--json');
      expect(doctor.status).toBe(1);
      expect(JSON.parse(doctor.stdout).findings).toEqual([
        expect.objectContaining({ kind: 'unresolved-link', paths: ['Compost Heap.md'] }),
      ]);
    }));

  it('refuses numbers that are none, and those out of bounds, as bad usage', () =>
    withVault(notes, async (vault) => {
      const wrong = [
        ['history', 'Lonely Note', '--limit', 'abc'],
        ['history', 'Lonely Note', '--limit', '0'],
        ['history', 'Lonely Note', '--limit', '2.5'],
        ['history', 'Lonely Note', '-n', ''],
        ['search', 'green', '--limit', '51'],
        ['hubs', '--limit', 'ten'],
        ['get', 'Lonely Note', '--depth', '2'],
        ['next', '--count', '1e3'],
        ['serve', '--port', '65536'],
        ['key', 'run', 'x', '--at', '2026-01-01T00:00:00Z', '--exit', 'one'],
      ];
      for (const args of sample(wrong, 3)) {
        const refused = await cli([...args, '--vault', vault.root]);
        expect(refused, args.join(' ')).toMatchObject({ status: 2, stdout: '' });
        expect(refused.stderr).toMatch(/--(limit|depth|count|port|exit) has to be a whole number from -?\d+ to \d+, not "/);
      }
      expect((await cli(['history', 'Lonely Note', '--limit', '5', '--vault', vault.root])).status).toBe(1);
    }));

  it('takes the nearest vault upward when none is named', () =>
    withVault({ ...notes, '.rouxrc.json': '{}', 'deep/er/x.md': '' }, async (vault) => {
      expect((await cli(['get', 'tomato plant'], { cwd: vault.path('deep/er') })).stdout).toBe('Red. #soil/rich\n');
      expect((await cli(['get', 'tomato plant'], { env: { ROUX_VAULT: vault.root } })).stdout).toBe('Red. #soil/rich\n');
    }));

  it.skipIf(process.getuid?.() !== 0)('takes no vault for its own that another user put where everybody may write', () =>
    withVault({ '.rouxrc.json': '{}', 'mine/deep/x.md': 'X\n' }, async (open) => {
      chmodSync(open.root, 0o1777);
      const create = (title: string) => cli(['create', title], { cwd: open.path('mine/deep') });
      await create('Public');
      expect(open.exists('public.md')).toBe(true);
      chownSync(open.path('.rouxrc.json'), 65_534, 65_534);
      await create('Private');
      expect([open.exists('private.md'), open.exists('mine/deep/private.md')]).toEqual([false, true]);
      // Named, it is what it was named.
      expect((await cli(['get', 'public', '--vault', open.root])).status).toBe(0);
    }),
  );

  it('prints text of notes on a terminal without control characters, and into a pipe as it is', () =>
    withVault({ 'a.md': 'x\u001b[31mred\u0007\u202e\n' }, async (vault) => {
      const { stdout } = await cli(['get', 'a', '--raw', '--vault', vault.root], { isTerminal: true });
      expect(stdout).toBe('x\\x1b[31mred\\x07\\u202e\n');
      expect((await cli(['get', 'a', '--vault', vault.root], { isTerminal: true })).stdout).toContain('x\\x1b[31mred\\x07\\u202e\n');
      expect((await cliProcess(['get', 'a', '--vault', vault.root])).stdout).toBe(vault.read('a.md'));
    }));
});

describe('the command line, setting up', () => {
  it('init writes the configuration once, touches no note, and configures a client beside its other servers', () =>
    withVault(
      { 'A Note.md': 'x\n', '.cursor/mcp.json': '{"mcpServers": {"other": {"command": "x"}}}', '.gitattributes': '*.png binary' },
      async (vault) => {
        const first = await cli(['init', vault.root, '--client', 'cursor']);
        expect(first.status).toBe(0);
        expect(JSON.parse(vault.read('.rouxrc.json'))).toEqual({ filenames: 'title', toolsets: ['default'] });
        expect(vault.read('.roux/.gitignore')).toContain('cache/');
        expect(vault.read('.gitattributes')).toBe('*.png binary\n.roux/history/*.jsonl merge=union\n');
        const { mcpServers } = JSON.parse(vault.read('.cursor/mcp.json'));
        expect(mcpServers.other).toEqual({ command: 'x' });
        expect(mcpServers.roux.args.slice(1)).toEqual(['mcp', vault.root]);
        expect(vault.read('A Note.md')).toBe('x\n');
        const again = await cli(['init', vault.root, '--client', 'cursor', '--json']);
        expect(JSON.parse(again.stdout).written).toEqual([]);
        expect(await cli(['init', vault.root, '--client', 'cursr'])).toMatchObject({ status: 2 });
        expect((await cli(['init', vault.root, '--client', 'codex'])).stdout).toContain('[mcp_servers.roux]');
      },
    ));

  it('init says to git what the vault itself says, completes what an older one wrote, and follows no link', () =>
    withVault({ 'a.md': 'x\n' }, async (vault) => {
      await cli(['init', vault.root]);
      const wanted = ['.gitignore', '.gitattributes'].map((name) => vault.read(`.roux/${name}`));
      vault.remove('.roux');
      await cli(['update', 'a', '--content', 'y', '--vault', vault.root]);
      expect(['.gitignore', '.gitattributes'].map((name) => vault.read(`.roux/${name}`))).toEqual(wanted);
      for (const line of ['history/keys/', 'history/batches/']) expect(vault.read('.roux/.gitignore').split('\n')).toContain(line);

      vault.write('.roux/.gitignore', 'cache/\njournal/\ntmp/\nlock/\nrun/\n');
      const { stdout } = await cli(['init', vault.root, '--json']);
      expect(JSON.parse(stdout).written).toEqual(['.roux/.gitignore']);
      expect(vault.read('.roux/.gitignore')).toBe(wanted[0]);

      vault.remove('.roux/.gitignore');
      vault.write('elsewhere', '');
      symlinkSync(vault.path('elsewhere'), vault.path('.roux/.gitignore'));
      await cli(['init', vault.root]);
      expect(vault.read('elsewhere')).toBe('');
    }));

  it('init leaves a client configuration that it cannot read alone', () =>
    withVault({ 'a.md': '', '.zed/settings.json': '{ // comment\n' }, async (vault) => {
      const { status, stdout } = await cli(['init', vault.root, '--client', 'zed']);
      expect(status).toBe(1);
      expect(stdout).toContain('left .zed/settings.json as it is');
      expect(stdout).toContain('"context_servers"');
      expect(vault.read('.zed/settings.json')).toBe('{ // comment\n');
    }));
});

describe('the command line, writing', () => {
  it('creates, updates, renames, moves and deletes; --dry-run shows the difference and writes nothing', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      expect(await run('create', 'New Idea', '--tags', 'x,y', '--set', '{"status":"open"}', '--directory', 'ideas')).toMatchObject({
        status: 0,
        stdout: 'ideas/New Idea.md\n',
      });
      expect(await run('create', 'New Idea', '--directory', 'ideas')).toMatchObject({ status: 3 });
      const piped = await cli(['update', 'New Idea', '--vault', vault.root, '--content', '-'], { stdin: 'from stdin\n' });
      expect(piped.status).toBe(0);
      expect(vault.read('ideas/New Idea.md')).toContain('---\nfrom stdin\n');

      const before = vault.files().map((file) => vault.read(file));
      const dry = await run('rename', 'Tomato Plant', 'Best Tomato', '--dry-run');
      expect(dry.status).toBe(0);
      expect(dry.stdout).toContain('-Green and brown. See [[Tomato Plant]] and [[Nowhere]].');
      expect(dry.stdout).toContain('+Green and brown. See [[Best Tomato]] and [[Nowhere]].');
      expect(vault.files().map((file) => vault.read(file))).toEqual(before);

      expect(await run('rename', 'Tomato Plant', 'Best Tomato')).toMatchObject({ status: 0, stdout: 'Best Tomato.md\n' });
      expect(vault.read('Compost Heap.md')).toContain('[[Best Tomato]]');
      expect((await run('move', 'Best Tomato', 'plants')).stdout).toBe('Best Tomato.md → plants/Best Tomato.md\n');
      expect((await run('move', 'plants/', 'garden')).stdout).toBe('plants → garden/plants\n');
      expect(vault.exists('garden/plants/Best Tomato.md')).toBe(true);
      expect(await run('move', 'Best Tomato', '../out')).toMatchObject({ status: 2 });
      expect(await run('delete', 'Best Tomato')).toMatchObject({ status: 0 });
      expect(await run('delete', 'no such note')).toMatchObject({ status: 1 });
      expect(vault.exists('garden/plants/Best Tomato.md')).toBe(false);
    }));

  it('restores, shows history and takes a batch back', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli(args, { cwd: vault.root, env: { ROUX_VAULT: vault.root } });
      await run('delete', 'Lonely Note');
      const trash = JSON.parse((await run('restore', '--json')).stdout);
      expect(trash).toMatchObject([{ path: 'Lonely Note.md' }]);
      expect(await run('restore', 'Lonely Note.md')).toMatchObject({ status: 0 });
      expect(vault.read('Lonely Note.md')).toBe('alone\n');

      await run('rename', 'Tomato Plant', 'Best Tomato', '--agent', 'tester');
      const { events } = JSON.parse((await run('history', 'Best Tomato', '--json')).stdout);
      expect(events[0]).toMatchObject({ action: 'renamed', agent: 'tester' });
      expect((await run('history', 'Best Tomato')).stdout).toContain('renamed');
      expect(await run('undo', events[0].batch)).toMatchObject({ status: 0 });
      expect(vault.exists('Tomato Plant.md')).toBe(true);
      expect(vault.read('Compost Heap.md')).toBe(notes['Compost Heap.md']);
      expect(await run('history', 'no such note')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('There is no note "no such note".'),
      });
      expect(await run('tree', '--project', 'no such project')).toMatchObject({ status: 1 });
      expect(await run('append', 'Tomato Plant', 'x', '--under', 'Nowhere')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('--create makes it'),
      });
    }));
});
