import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, cliProcess } from '../../support/program/cli.ts';
import { ENTER, hasTerminal, inTerminal, isInstalled, makePrograms, TAB } from '../../support/program/terminal.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

/** COMP_WORDBREAKS as bash has it. */
const BREAKS = ' \t\n"\'@><=;|&(:';

const notes = {
  '.rouxrc.json': '{"filenames": "title"}',
  'Writing style.md': '#draft/long\n',
  'Writing letters.md': 'x\n',
  'plants/Tomato.md': '---\ntype: plant\n---\n#garden\n',
  'old/Twice.md': 'x\n',
  'new/Twice.md': 'x\n',
  'projects/roof/Roof.md': '---\ntype: project\n---\n',
};

/** Names that would do something where a shell read them. */
const HOSTILE = [
  'Evil $(touch pwned)',
  'Evil `touch pwned`',
  'Evil; touch pwned',
  "Evil' ; touch pwned '",
  'Evil" ; touch pwned "',
  'Evil & touch pwned &',
  'Evil | touch pwned',
  'Evil > pwned',
  'Evil !! !x {a,b} [a] ~ * ?',
  'Evil $HOME ${x} $((1))',
  'Evil #x =ls a:b=c@d %',
  'Evil 日本 語 é',
];

/** What is left out: nobody could see it on the line, or it would be an option. */
const LEFT_OUT = ['Evil\nline', 'Evil\u001B[31mred', 'Evil \u202Egnp', '--evil', '-e'];

const hostileVault = Object.fromEntries(
  [...HOSTILE, ...LEFT_OUT].map((name, at) => [`n${at}/${at}.md`, `---\ntitle: ${JSON.stringify(name)}\n---\nBODY-${at}.\n`]),
);

/** A vault whose notes roux remembers, since it ran there. */
function withRemembered(files: Readonly<Record<string, string>>, run: (vault: TestVault) => Promise<void>): Promise<void> {
  return withVault(files, async (vault) => {
    expect(await cli(['list'], { cwd: vault.root })).toMatchObject({ status: 0 });
    await run(vault);
  });
}

/** The candidates of a shell that quotes by itself. */
async function candidates(vault: TestVault, ...words: readonly string[]): Promise<readonly string[]> {
  const { status, stdout, stderr } = await cli(['complete', 'zsh', ...words], { cwd: vault.root });
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('issue 11.8: completion', () => {
  it('knows commands, options, the values of options, and names where an argument is one', () =>
    withRemembered(notes, async (vault) => {
      expect(await candidates(vault, '')).toEqual(expect.arrayContaining(['words', 'get', 'help', 'completion']));
      expect(await candidates(vault, 'unr')).toEqual(['words', 'unresolved']);
      expect(await candidates(vault, 'list', '--fo')).toEqual(['words', '--format']);
      expect(await candidates(vault, 'list', '--format', '')).toEqual(['words', 'table', 'json', 'csv', 'md']);
      expect(await candidates(vault, 'list', '--format=c')).toEqual(['words', '--format=csv']);
      expect(await candidates(vault, 'mcp', '--toolsets', 'vault,me')).toEqual(['words', 'vault,memory']);
      expect(await candidates(vault, 'init', '-c', 'curs')).toEqual(['words', 'cursor']);
      expect(await candidates(vault, 'get', 'writ')).toEqual(['words', 'Writing letters', 'Writing style']);
      expect(await candidates(vault, 'get', 'plants/')).toEqual(['words', 'plants/Tomato.md']);
      expect(await candidates(vault, 'get', '@tod')).toEqual(['words', '@today']);
      expect(await candidates(vault, 'list', '--tag', 'dr')).toEqual(['words', 'draft', 'draft/long']);
      expect(await candidates(vault, 'rename', '#ga')).toEqual(['words', '#garden']);
      expect(await candidates(vault, 'rename', 'Tomato', 'Wri')).toEqual(['words']);
      expect(await candidates(vault, 'rename', 'Tomato', 'x', 'plan')).toEqual(['words', 'plants/Tomato.md', 'plants/']);
      expect(await candidates(vault, 'move', 'Tomato', 'pl')).toEqual(['words', 'plants']);
      expect(await candidates(vault, 'search', 'ripe', 'tag:ga')).toEqual(['words', 'tag:garden']);
      expect(await candidates(vault, 'list', '--type', 'pl')).toEqual(['words', 'plant']);
      expect(await candidates(vault, 'tree', '--project', '')).toEqual(['words', 'roof']);
      expect(await candidates(vault, 'doctor', '')).toEqual(['folders']);
      expect(await candidates(vault, 'import', '')).toEqual(['files']);
      expect(await candidates(vault, 'nonsense', '')).toEqual(['words']);
    }));

  it('gives the rest of a title that is typed without quotes, and titles of two notes by their paths', () =>
    withRemembered(notes, async (vault) => {
      expect(await candidates(vault, 'get', 'writing', 'st')).toEqual(['words', 'style']);
      expect(await candidates(vault, 'get', 'Twi')).toEqual(['words', 'new/Twice.md', 'old/Twice.md']);
    }));

  it('looks at no note, writes nothing and never complains, whatever vault, configuration or line it is asked for', () =>
    withVault(notes, async (vault) => {
      expect(await candidates(vault, 'get', '')).toEqual(['words']);
      expect(vault.exists('.roux')).toBe(false);
      await cli(['list'], { cwd: vault.root });
      const saved = vault.readBytes('.roux/cache/notes');
      vault.write('Writing more.md', 'x\n');
      expect(await candidates(vault, 'get', 'writing m')).toEqual(['words']);
      expect(vault.readBytes('.roux/cache/notes').equals(saved)).toBe(true);
      vault.write('.rouxrc.json', '{"filenames": ');
      for (const words of [
        ['get', ''],
        ['get', '--vault', '/nowhere', ''],
        ['get', '--vault=/nowhere', ''],
      ])
        expect(await candidates(vault, ...words), words.join(' ')).toEqual(['words']);
      for (const args of [[], ['bash'], ['tcsh', ''], ['bash', '"', ''], ['bash', 'roux get "a"b', BREAKS]])
        expect(await cli(['complete', ...args], { cwd: vault.root }), args.join(' ')).toMatchObject({ status: 0, stderr: '' });
    }));

  it('leaves out names that are hidden, and what a stranger put into .roux', () =>
    withRemembered(notes, async (vault) => {
      vault.write('.rouxrc.json', '{"filenames": "title", "ignore": ["plants/"]}');
      expect(await candidates(vault, 'get', 'tom')).toEqual(['words']);
      await withVault(notes, async (other) => {
        other.write('.roux/cache/notes', vault.readBytes('.roux/cache/notes'));
        expect(await candidates(other, 'get', '')).toEqual(['words']);
      });
    }));

  it('answers at most a hundred names', () =>
    withRemembered(Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`n${at}.md`, 'x\n'])), async (vault) => {
      expect(await candidates(vault, 'get', 'n')).toHaveLength(101);
    }));
});

describe.skipIf(!isInstalled('bash'))('issue 11.8: completion in bash', () => {
  it.each(['', "'", '"'])('spells every name so that bash reads that name and nothing else, behind %s', (quote) =>
    withRemembered(hostileVault, async (vault) => {
      const { stdout } = await cli(['complete', 'bash', `roux get ${quote}Evil`, BREAKS], { cwd: vault.root });
      const [, ...spelled] = stdout.trimEnd().split('\n');
      const read = spelled.map((word) => {
        const { stdout: text, stderr } = spawnSync('bash', ['-c', `printf '%s' ${quote}${word}${quote}`], {
          cwd: vault.root,
          encoding: 'utf8',
        });
        expect(stderr, word).toBe('');
        return text;
      });
      const left = quote === "'" ? /'/ : quote === '"' ? /!/ : /\0/;
      expect(read.toSorted()).toEqual(HOSTILE.filter((name) => !left.test(name)).toSorted());
      expect(vault.files().filter((file) => file.includes('pwned'))).toEqual([]);
    }),
  );

  it('replaces only what bash replaces: what follows the last sign that breaks words', () =>
    withRemembered(hostileVault, async (vault) => {
      const spelled = async (line: string) => (await cli(['complete', 'bash', line, BREAKS], { cwd: vault.root })).stdout.split('\n')[1];
      expect(await spelled(String.raw`roux get Evil\ #x\ =ls\ a:b`)).toBe('b=c@d\\ %'.replace('=', '\\='));
      expect(await spelled('roux list --format=cs')).toBe('csv');
      expect(await spelled('roux get @yes')).toBe('@yesterday');
      expect(await spelled('roux get evil\\ \\!')).toBe(String.raw`Evil\ \!\!\ \!x\ \{a,b\}\ \[a\]\ \~\ \*\ \?`);
    }));
});

const SHELLS: readonly {
  readonly shell: string;
  readonly start: (folder: string) => readonly string[];
  readonly rc: string;
}[] = [
  {
    shell: 'bash',
    start: (folder) => ['bash', '--rcfile', join(folder, 'rc'), '-i'],
    rc: 'PS1="ready> "; eval "$(roux completion bash)"',
  },
  {
    shell: 'zsh',
    start: (folder) => ['env', `ZDOTDIR=${folder}`, 'zsh', '-i'],
    rc: 'PS1="ready> "; unsetopt PROMPT_SP; autoload -Uz compinit; compinit -u -D; eval "$(roux completion zsh)"',
  },
  {
    shell: 'fish',
    start: (folder) => ['fish', '--no-config', '-i', '-C', `source ${join(folder, 'rc')}`],
    rc: 'function fish_prompt; echo -n "ready> "; end; set fish_greeting; roux completion fish | source',
  },
];

describe.each(SHELLS)('issue 11.8: completion at a terminal', ({ shell, start, rc }) => {
  it.skipIf(!hasTerminal || !isInstalled(shell))(
    `${shell} puts a name on the line that it reads as that name, and runs nothing of it`,
    () =>
      withVault({ 'n/1.md': '---\ntitle: "Evil $(touch pwned) `touch pwned`; touch pwned"\n---\nBODY-1.\n', 'n/2.md': 'x\n' }, (vault) =>
        withVault({ rc, '.zshrc': rc }, async (home) => {
          const path = makePrograms(join(home.root, 'bin'));
          const env = {
            HOME: home.root,
            PATH: `${path}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
            XDG_CONFIG_HOME: join(home.root, 'config'),
          };
          // The built program remembers what the built program left.
          expect(await cliProcess(['list'], { cwd: vault.root, env })).toMatchObject({ status: 0 });
          await inTerminal(start(home.root), { cwd: vault.root, env }, async (terminal) => {
            await terminal.shows('ready> ');
            terminal.type(`roux get Ev${TAB}`);
            await terminal.shows('touch');
            terminal.type(ENTER);
            await terminal.shows('BODY-1.');
          });
          expect([vault.exists('pwned'), home.exists('pwned')]).toEqual([false, false]);
        }),
      ),
  );
});
