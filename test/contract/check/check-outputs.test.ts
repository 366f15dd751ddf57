import { expect, it } from 'vitest';
import { cli, cliProcess } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';

const BROKEN = {
  'good.md': 'See [[old]].\n',
  'old.md': '---\nstale_after: 2020-01-02\n---\n# Title\n\n[[nowhere]] [[old#Gone]]\n\n[[nowhere]]\n',
  'yaml.md': '---\na: [b\n---\ntext\n',
};

interface Finding {
  readonly kind: string;
  readonly path: string;
  readonly line: number;
  readonly fails: boolean;
  readonly message: string;
}

it('G-02 lists what is broken with its kind, note and line, fails for what check.fail says, and writes nothing', () =>
  withVault(BROKEN, async (vault) => {
    const { status, stdout } = await cliProcess(['check', '--json', '--vault', vault.root]);
    const report = JSON.parse(stdout) as { notes: number; failed: number; findings: readonly Finding[] };
    expect(report).toMatchObject({ notes: 3, failed: 1 });
    expect(report.findings.map(({ kind, path, line, fails }) => [kind, path, line, fails])).toEqual([
      ['frontmatter', 'yaml.md', 3, true],
      ['stale', 'old.md', 2, false],
      ['unresolved-link', 'old.md', 6, false],
      ['unresolved-link', 'old.md', 8, false],
      ['missing-heading', 'old.md', 6, false],
    ]);
    expect(status).toBe(1);
    expect(vault.list('.')).toEqual(Object.keys(BROKEN));
  }));

it('G-02 exit status: 0 where nothing fails, 1 for findings that fail, 2 for bad usage; check.fail and --fail choose', () =>
  withVault(BROKEN, async (vault) => {
    const statusOf = async (...args: readonly string[]) => (await cli(['check', '--vault', vault.root, ...args])).status;
    expect(await statusOf()).toBe(1);
    expect(await statusOf('--fail', 'dead-anchor')).toBe(0);
    expect(await statusOf('--fail=')).toBe(0);
    expect(await statusOf('--fail', 'dead-anchor,unresolved-link')).toBe(1);
    expect(await statusOf('--fail', 'everything')).toBe(2);
    expect(await statusOf('--format', 'xml')).toBe(2);
    expect(await statusOf('--json', '--format', 'sarif')).toBe(2);
    expect(await statusOf('nothing-here')).toBe(2);
    vault.remove('yaml.md');
    expect(await statusOf()).toBe(0);
    vault.write('.rouxrc.json', '{"check": {"fail": ["stale"]}}');
    expect(await statusOf()).toBe(1);
  }));

it('G-02 paths limit it to notes in files and folders, relative to the current folder', () =>
  withVault({ 'a/one.md': '[[x]]', 'a/two.md': '[[x]]', 'b.md': '[[x]]' }, async (vault) => {
    const pathsOf = async (cwd: string, ...paths: readonly string[]) =>
      (
        JSON.parse((await cli(['check', '--json', '--vault', vault.root, ...paths], { cwd })).stdout) as { findings: readonly Finding[] }
      ).findings.map(({ path }) => path);
    expect(await pathsOf(vault.root, 'a')).toEqual(['a/one.md', 'a/two.md']);
    expect(await pathsOf(vault.path('a'), 'one.md', '../b.md')).toEqual(['a/one.md', 'b.md']);
    expect(await pathsOf(vault.root, '.')).toHaveLength(3);
  }));

it('G-02 SARIF has relative paths, lines, rules with help, and fingerprints that stay when lines move', () =>
  withVault({ ...BROKEN, 'a b/ü#?.md': '[[nowhere]]\n' }, async (vault) => {
    const sarif = async () => {
      const { stdout } = await cli(['check', '--format', 'sarif', '--vault', vault.root]);
      const log = JSON.parse(stdout) as {
        $schema: string;
        version: string;
        runs: readonly {
          tool: { driver: { name: string; rules: readonly { id: string; help: { text: string } }[] } };
          results: readonly {
            ruleId: string;
            ruleIndex: number;
            level: string;
            message: { text: string };
            locations: readonly { physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }[];
            partialFingerprints: { primaryLocationLineHash: string };
          }[];
        }[];
      };
      expect(log).toMatchObject({ $schema: expect.stringContaining('sarif-2.1.0'), version: '2.1.0' });
      const [run] = log.runs;
      if (run === undefined) throw new Error('no run');
      return run;
    };
    const { tool, results } = await sarif();
    expect(tool.driver.name).toBe('roux');
    for (const { help } of tool.driver.rules) expect(help.text).toMatch(/\.$/);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    const places = results.map(({ locations: [place], level }) => [
      place?.physicalLocation.artifactLocation.uri,
      place?.physicalLocation.region.startLine,
      level,
    ]);
    expect(places).toEqual([
      ['yaml.md', 3, 'error'],
      ['old.md', 2, 'warning'],
      ['a%20b/%C3%BC%23%3F.md', 1, 'warning'],
      ['old.md', 6, 'warning'],
      ['old.md', 8, 'warning'],
      ['old.md', 6, 'warning'],
    ]);
    const prints = results.map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash);
    expect(new Set(prints).size).toBe(prints.length);
    vault.write('old.md', vault.read('old.md').replace('# Title', '\n\n# Title'));
    expect((await sarif()).results.map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash)).toEqual(prints);
  }));

it('G-02 Markdown for a comment shows names as code, whatever they hold, and fits into one', () =>
  withVault(
    {
      'a.md': '[[@ana]] [[`` tick]] [[<img src=x>]]\n',
      ...Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`n${n}.md`, `[[${'x'.repeat(90)}${n}]]`])),
    },
    async (vault) => {
      const { stdout } = await cli(['check', '--format', 'markdown', '--vault', vault.root]);
      expect(stdout).toMatch(/^### Notes: 903 findings, none fails\n\n\*\*Unresolved links\*\* \(903\)\n/);
      expect(stdout).toContain('- `a.md:1`: no such note or file: `@ana`\n');
      expect(stdout).toContain('no such note or file: ``` `` tick ```\n');
      expect(stdout).toContain('no such note or file: `<img src=x>`\n');
      expect(stdout.length).toBeLessThan(65_536);
      expect(stdout).toMatch(/- … and \d+ more\n/);
    },
  ));

it('G-02 a person reads each kind with what to do about it, what fails first', () =>
  withVault(BROKEN, async (vault) => {
    const { stdout, stderr } = await cli(['check', '--fail', 'unresolved-link'], { cwd: vault.root, env: { ROUX_VAULT: vault.root } });
    expect(stdout.split('\n').filter((line) => /^\S/.test(line))).toEqual([
      'Unresolved links (2)',
      'Broken frontmatter (1)',
      'Stale (1)',
      'Links to missing headings (1)',
    ]);
    expect(stdout).toContain(
      '  old.md:6  no such note or file: nowhere\n  old.md:8  no such note or file: nowhere\n  Correct the name, or write the note.\n',
    );
    expect(stderr).toBe('3 notes checked: 5 findings, 2 to resolve.\n');
  }));

it('G-02 a Markdown link is followed from where it is written, as git hosts do, also where another file has its name', () =>
  withVault(
    { 'SECURITY.md': '# Reports\n', 'docs/security.md': '# Tokens\n', 'docs/a.md': '[t](security.md#tokens) [r](security.md#reports)\n' },
    async (vault) => {
      const { stdout } = await cli(['check', '--json', '--vault', vault.root]);
      const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
      expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining('security.md#reports')]);
    },
  ));

it('G-02 a folder whose notes are not read is an error, and files that are no notes are none', () =>
  withVault(
    {
      'notes/a.md': '[[x]]',
      '.claude/rules.md': '[[x]]',
      'node_modules/p/readme.md': '[[x]]',
      'old/b.md': '[[x]]',
      'src/a.ts': '',
      '.rouxrc.json': '{"ignore": ["old/**"]}',
    },
    async (vault) => {
      const run = (...args: readonly string[]) => cli(['check', '--vault', vault.root, ...args], { cwd: vault.root });
      expect(await run('.claude')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('reads no notes in hidden folders') as string,
      });
      expect((await run('notes', 'node_modules/p')).status).toBe(2);
      expect(await run('old')).toMatchObject({ status: 2, stderr: expect.stringContaining('the settings leave it out') as string });
      expect((await run('..')).status).toBe(0);
      expect((await run('..')).stderr).toContain('1 note checked: 1 finding');
      expect(await run('src')).toMatchObject({
        status: 0,
        stderr: expect.stringContaining('no note in "src", and none about it') as string,
      });
      const listed = await run('src/a.ts', '.rouxrc.json', '.claude/rules.md', 'old/b.md');
      expect(listed.status).toBe(0);
      expect(listed.stderr).toBe(
        'No notes to check.\n".claude/rules.md" and 1 more are not checked: roux reads no notes in hidden folders and in node_modules.\n',
      );
    },
  ));
