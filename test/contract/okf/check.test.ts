import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { BUNDLE, bundleIn } from './bundle.ts';

interface Found {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly level: string;
  readonly message: string;
  readonly remedy: string;
}

/** Files that break one rule each, and what is found: `line rule`. */
const BROKEN: Readonly<Record<string, readonly [text: string, found: readonly string[]]>> = {
  'no-block.md': ['# Nothing\n', ['1 frontmatter']],
  'bad-yaml.md': ['---\ntype: A\nb: [\n---\n', ['4 frontmatter']],
  'no-type.md': ['---\ntitle: A\n---\n', ['1 type']],
  'empty-type.md': ['---\ntitle: A\ntype: ""\n---\n', ['3 type']],
  'listed-type.md': ['---\ntype: [A]\n---\n', ['2 type']],
  'a/index.md': ['---\ntitle: A\n---\n# A\n', ['1 index']],
  'b/index.md': ['Only words.\n\n* [x](x.md)\n', ['1 index']],
  'c/index.md': ['* [x](../whole.md)\n\n# C\n', ['1 index']],
  'a/log.md': ['# Log\n\n## 2026-05-01\n* a\n\n## 2026-05-02\n* b\n', ['6 log']],
  'b/log.md': ['# Log\n\n* a\n\n## Yesterday\n', ['3 log', '5 log']],
  'c/log.md': ['# Log\n\n## 2026-02-30\n', ['3 log']],
};

/** Files that conform, and what is said to them. */
const ADVISED: Readonly<Record<string, readonly [text: string, found: readonly string[]]>> = {
  'whole.md': ['---\ntype: A\nmine: { deep: [1] }\n---\nFine.\n', []],
  'status.md': ['---\ntype: A\nstatus: done\n---\n', ['3 status']],
  'times.md': [
    '---\ntype: A\nstale_after: 2026-01-01\nverified: { by: "human:a", at: 2026-01-01T08:00:00 }\n---\n',
    ['3 timestamp', '4 timestamp'],
  ],
  'actors.md': ['---\ntype: A\ngenerated: { at: 2026-01-01T08:00:00+01:00 }\nverified: yes\n---\n', ['3 actor', '4 actor']],
  'sources.md': [
    '---\ntype: A\nsources:\n  - title: B\n  - { resource: refs/none.md, id: c }\n---\nSo.[^c][^d]\n',
    ['3 sources', '3 path', '7 footnote'],
  ],
  'scope.md': ['---\ntype: A\nsources: [{ resource: all queries in project x }, { resource: "https://x.example/a.md" }]\n---\n', []],
  'old.md': ['---\ntype: A\ntimestamp: 2026-01-01T08:00:00Z\n---\n', ['3 legacy']],
  'sum.md': ['---\ntype: Attested Computation\n---\n# Other\n\n```sql\nSELECT 1\n```\n', ['2 computation', '2 computation']],
  'sum-well.md': ['---\ntype: Attested Computation\nruntime: sql\n---\n# Computation\n\n    SELECT 1\n', []],
  'lost.md': ['---\ntype: A\n---\n[x](/y.md) [x](https://x.example) `[x](z.md)`\n', ['4 link']],
  'Index.md': ['---\ntype: A\n---\n', ['1 name']],
  'd/log.md': ['---\ntype: Log\n---\n# History\n\nWords.\n\n## 2026-05-02\n- **Update** x\n', []],
};

function parse(stdout: string): { readonly conforms: boolean; readonly findings: readonly Found[] } {
  return JSON.parse(stdout) as ReturnType<typeof parse>;
}

it('G-04 okf check names every breach of the conformance section with path, line and what to do, and tells the rest from it', () => {
  const all = { ...BROKEN, ...ADVISED };
  return withVault(Object.fromEntries(Object.entries(all).map(([path, [text]]) => [path, text])), async (vault) => {
    const { status, stdout } = await cli(['okf', 'check', vault.root, '--json']);
    const { conforms, findings } = parse(stdout);
    expect([status, conforms]).toEqual([1, false]);
    for (const [path, [, wanted]] of Object.entries(all)) {
      const found = findings.filter((each) => each.path === path && !(each.rule === 'link' && path !== 'lost.md'));
      expect(
        found.map(({ line, rule }) => `${line} ${rule}`),
        path,
      ).toEqual(wanted);
      expect([...new Set(found.map(({ level }) => level))], path).toEqual(wanted.length === 0 ? [] : [path in BROKEN ? 'error' : 'advice']);
    }
    expect(findings.every(({ remedy }) => remedy !== '')).toBe(true);
    const text = await cli(['okf', 'check', vault.root]);
    expect(text.stdout).toContain(
      'log (1): sort the dates, newest first\n  a/log.md:6  2026-05-02 is below 2026-05-01; a log has the newest date first\n',
    );
  });
});

it('G-04 okf check writes nothing, takes the bundles of the vault or a folder anywhere, and a note that is not UTF-8 is named', () =>
  withVault({ ...bundleIn('k'), 'other.md': 'No concept.\n' }, async (vault) => {
    const before = vault.files();
    const whole = await cli(['okf', 'check', '--vault', vault.root, '--json']);
    expect([whole.status, JSON.parse(whole.stdout)]).toMatchObject([0, { bundles: ['k'], concepts: 4, conforms: true }]);
    expect((await cli(['okf', 'check', 'k'], { cwd: vault.root })).status).toBe(0);
    expect([vault.files(), vault.exists('k/.roux')]).toEqual([before, false]);
    vault.write('k/latin.md', Buffer.from('---\ntype: A\n---\n\xe4\n', 'latin1'));
    const { status, stdout } = await cli(['okf', 'check', vault.path('k'), '--json']);
    expect(status).toBe(1);
    expect(parse(stdout).findings.filter(({ level }) => level === 'error')).toMatchObject([{ path: 'latin.md', rule: 'encoding' }]);
    // Without any bundle, the vault is checked as if it were one.
    vault.remove('k/index.md');
    expect(parse((await cli(['okf', 'check', '--vault', vault.root, '--json'])).stdout).findings).toContainEqual(
      expect.objectContaining({ path: 'other.md', rule: 'frontmatter' }),
    );
  }));

it('G-04 okf check of a folder that is no bundle shows twenty notes for each thing to do', () =>
  withVault(Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`${at}.md`, 'No concept.\n'])), async (vault) => {
    const { stdout } = await cli(['okf', 'check', vault.root]);
    const lines = stdout.trimEnd().split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([22, '  and 3 more; --json lists them']);
  }));

it('G-04 okf check tells a version that is another one, a number or none', async () => {
  const versionOf = (version: string) =>
    withVault({ 'index.md': `---\nokf_version: ${version}\n---\n# A\n` }, async (vault) => {
      const { findings } = parse((await cli(['okf', 'check', vault.root, '--json'])).stdout);
      return findings.map(({ line, rule, message }) => `${line} ${rule} ${message}`);
    });
  expect(await versionOf('"0.2"')).toEqual([]);
  expect(await versionOf('0.2')).toEqual(['2 version okf_version is a number, not text']);
  expect(await versionOf('0.1')).toEqual(['2 version it declares version 0.1; this is checked as 0.2']);
  expect(await versionOf('')).toEqual(['2 version okf_version is not a version']);
});

it('G-04 vault_health tells what keeps a bundle from conforming, and says nothing of it in a vault that has none', async () => {
  const findings = (files: Readonly<Record<string, string>>) =>
    withVault(files, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          const { findings: all }: { readonly findings: readonly { readonly kind: string; readonly paths: readonly string[] }[] } =
            await ask('vault_health', {});
          return all.filter(({ kind }) => kind === 'okf').map(({ paths }) => paths[0]);
        },
        { flags: ['--toolsets', 'all'] },
      ),
    );
  expect(await findings({ ...BUNDLE, 'beds/odd.md': 'No type.\n' })).toEqual(['beds/odd.md']);
  expect(await findings({ 'index.md': 'Home.\n', 'log.md': '## Yesterday\n', 'odd.md': 'No type.\n' })).toEqual([]);
});

it('G-02 roux check tells what of a bundle does not conform to the format, and does not fail by it', () =>
  withVault({ ...bundleIn('kb'), 'kb/no-type.md': '---\ntitle: A\n---\n', 'note.md': 'No concept.\n' }, async (vault) => {
    const { status, stdout } = await cli(['check', '--json', '--vault', vault.root]);
    const { findings } = JSON.parse(stdout) as { findings: { kind: string; path: string; line: number }[] };
    expect(status).toBe(0);
    expect(findings.filter(({ kind }) => kind === 'okf')).toMatchObject([{ path: 'kb/no-type.md', line: 1 }]);
  }));
