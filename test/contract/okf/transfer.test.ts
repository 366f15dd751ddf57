import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { BUNDLE, bundleIn, UNDECLARED } from './bundle.ts';
import { filesIn } from './files-in.ts';

const BYTES = Buffer.from([0, 255, 10, 13, 128]);

it('G-04 a bundle comes back byte for byte through import and export, and its folder is known as one', () =>
  withVault(
    {
      ...UNDECLARED,
      'crlf.md': '\ufeff---\r\ntype: A\r\n---\r\nx  \r\n',
      'data/run.py': BYTES,
      'latin.md': Buffer.from('---\ntype: A\n---\n\xe4', 'latin1'),
    },
    (bundle) =>
      withVault({ 'mine.md': 'Mine.\n', '.rouxrc.json': '{\n    "trashDays": 60\n}\n' }, async (vault) => {
        const files = filesIn(bundle.root);
        const dry = await cli(['okf', 'import', bundle.root, '--to', 'k/b', '--vault', vault.root, '--json']);
        expect(JSON.parse(dry.stdout)).toMatchObject({ written: false, isKnown: false, left: [] });
        expect(vault.files()).toEqual(['.rouxrc.json', 'mine.md']);
        const { status, stdout } = await cli(['okf', 'import', bundle.root, '--to', 'k/b', '--write', '--vault', vault.root, '--json']);
        expect([status, (JSON.parse(stdout) as { created: readonly string[] }).created]).toEqual([
          0,
          Object.keys(files)
            .sort()
            .map((path) => `k/b/${path}`),
        ]);
        expect(vault.read('.rouxrc.json')).toBe(
          '{\n    "trashDays": 60,\n    "okf": {\n        "bundles": [\n            "k/b"\n        ]\n    }\n}\n',
        );
        for (const [path, bytes] of Object.entries(files)) expect(vault.readBytes(`k/b/${path}`).equals(bytes), path).toBe(true);
        // Again: nothing is new. One changed file: nothing is touched.
        const again = JSON.parse(
          (await cli(['okf', 'import', bundle.root, '--to', 'k/b', '--write', '--vault', vault.root, '--json'])).stdout,
        ) as object;
        expect(again).toMatchObject({
          created: [],
          same: Object.keys(files)
            .sort()
            .map((path) => `k/b/${path}`),
          isKnown: true,
        });
        const out = `${vault.root}-out`;
        expect((await cli(['okf', 'export', 'k/b', '--out', out, '--write', '--vault', vault.root])).status).toBe(0);
        expect(filesIn(out)).toEqual(files);
        vault.write('k/b/bean.md', '---\ntype: Dish\n---\nMy own.\n');
        bundle.write('new.md', '---\ntype: A\n---\n');
        const refused = await cli(['okf', 'import', bundle.root, '--to', 'k/b', '--write', '--vault', vault.root]);
        expect([refused.status, refused.stderr]).toEqual([3, expect.stringContaining('k/b/bean.md')]);
        expect([vault.read('k/b/bean.md'), vault.exists('k/b/new.md')]).toEqual(['---\ntype: Dish\n---\nMy own.\n', false]);
      }),
  ));

it('G-04 an Obsidian vault becomes a bundle that conforms: links, attachments, types and indexes; what cannot be said is told', () => {
  const notes = {
    'Home.md': `[[Tomato]] [[Tomato|red ones]] [[Tomato#Care#Water|care]] [[Tomato#^b1]] [[#Here]] [[Nobody]] [x](Tomato.md) [y](Plants/Tomato.md)\n
![[pic.png|300]] ![[pic.png|A *plant*|300x200]] ![[Tomato]] ![[scan.pdf]] #garden %%secret%%\n
| a | b |\n| - | - |\n| [[Tomato\\|t]] | [[Private]] |\n\n# Here\n\n\`[[Tomato]]\` https://x.example [w](https://x.example)\n`,
    'Plants/Tomato.md':
      '---\ntags: [food]\nrelated: "[[Home]]"\nstale_after: 2027-01-31\n---\n# Care\n## Water\n\nDaily. ^b1\n\n[[Home]]\n',
    'Plants/index.md': '---\ntype: Overview\n---\n[[log]]\n',
    'log.md': 'My log. [[Plants/index]]\n',
    'Private.md': 'Hidden.\n',
    'broken.md': '---\na: [\n---\n[[Home]]\n',
    'Plants/pic.png': BYTES,
    'files/scan.pdf': BYTES,
    '.rouxrc.json': '{"ignore": ["Private.md"]}',
  };
  return withVault(notes, async (vault) => {
    const before = filesIn(vault.root);
    const out = `${vault.root}-bundle`;
    const { status, stdout } = await cli(['okf', 'export', '--out', out, '--write', '--vault', vault.root, '--json']);
    expect(status).toBe(0);
    const report = JSON.parse(stdout) as { losses: readonly { kind: string; count: number }[]; renamed: unknown; left: unknown };
    expect(Object.fromEntries(report.losses.map(({ kind, count }) => [kind, count]))).toEqual({
      embed: 2,
      size: 2,
      block: 1,
      outside: 1,
      missing: 1,
      property: 1,
      'inline-tag': 1,
      comment: 1,
      frontmatter: 1,
    });
    expect(report.renamed).toEqual([
      { from: 'Plants/index.md', to: 'Plants/index-note.md' },
      { from: 'log.md', to: 'log-note.md' },
    ]);
    expect(report.left).toEqual([{ path: 'Private.md', reason: 'the settings hide it' }]);
    const files = filesIn(out);
    expect(String(files['Home.md'])).toBe(`---
type: Note
---
[Tomato](/Plants/Tomato.md) [red ones](/Plants/Tomato.md) [care](/Plants/Tomato.md#Care#Water) [Tomato > ^b1](/Plants/Tomato.md#^b1) [Here](#Here) [Nobody](/Nobody.md) [x](/Plants/Tomato.md) [y](Plants/Tomato.md)\n
![pic.png](/Plants/pic.png) ![A *plant*](/Plants/pic.png) [Tomato](/Plants/Tomato.md) [scan.pdf](/files/scan.pdf) #garden %%secret%%\n
| a | b |\n| - | - |\n| [t](/Plants/Tomato.md) | Private |\n\n# Here\n\n\`[[Tomato]]\` https://x.example [w](https://x.example)\n`);
    expect(String(files['Plants/Tomato.md'])).toContain('stale_after: 2027-01-31T00:00:00Z\n');
    expect(String(files['Plants/Tomato.md'])).toContain('[Home](/Home.md)');
    expect(String(files['index.md'])).toMatch(/^---\nokf_version: "0\.2"\n---\n\n<!-- roux:index -->\n\n# Note\n\n\* \[broken\]/);
    expect(String(files['Plants/index.md'])).toContain('* [Tomato](Tomato.md)');
    expect(files['Plants/pic.png']).toEqual(BYTES);
    // Only the note whose frontmatter nobody can read keeps it from conforming.
    const check = JSON.parse((await cli(['okf', 'check', out, '--json'])).stdout) as {
      findings: readonly { level: string; path: string }[];
    };
    expect(check.findings.filter(({ level }) => level === 'error').map(({ path }) => path)).toEqual(['broken.md']);
    expect(filesIn(vault.root)).toEqual(expect.objectContaining(before));
    // Back in a vault, every link leads where it led.
    await withVault({}, async (back) => {
      expect((await cli(['okf', 'import', out, '--write', '--vault', back.root])).status).toBe(0);
      await withServer(back, async ({ ask }) => {
        const linked: readonly { readonly id: string }[] = await ask('get_neighbors', { id: 'Home.md', direction: 'out' });
        expect(linked.map(({ id }) => id)).toEqual(['Plants/Tomato.md']);
      });
    });
  });
});

it('G-04 the settings in a bundle are not read: it is no vault', () =>
  withVault({ ...BUNDLE, '.rouxrc.json': '{"ignore": ["*"], "nope"' }, (bundle) =>
    withVault({}, async (vault) => {
      expect((await cli(['okf', 'check', bundle.root])).status).toBe(0);
      expect((await cli(['okf', 'import', bundle.root, '--write', '--vault', vault.root])).status).toBe(0);
      expect(vault.files()).toEqual(Object.keys(BUNDLE).sort());
    }),
  ));

it('G-04 of a vault with a bundle in it, the notes are exported, and the files that the bundle reserves are named', () =>
  withVault({ ...bundleIn('k'), 'a.md': '[[tomato]]\n', 'b.md': 'x\n', '.rouxrc.json': '{"ignore": ["b.md"]}' }, async (vault) => {
    const { left } = JSON.parse((await cli(['okf', 'export', '--vault', vault.root, '--json'])).stdout) as {
      left: { path: string; reason: string }[];
    };
    expect(left.filter(({ reason }) => reason === 'the settings hide it').map(({ path }) => path)).toEqual(['b.md']);
    expect(left.map(({ path }) => path)).toEqual(['b.md', 'k/beds/index.md', 'k/index.md', 'k/log.md', 'k/rules/index.md']);
  }));

it('G-04 nothing is written outside of the target, over a file, or by a dry run', () =>
  withVault(BUNDLE, async (vault) => {
    const parent = `${vault.root}-targets`;
    mkdirSync(join(parent, 'full'), { recursive: true });
    writeFileSync(join(parent, 'full/a.txt'), 'a');
    symlinkSync(vault.root, join(parent, 'link'));
    const run = (out: string, ...more: string[]) => cli(['okf', 'export', '--out', out, ...more, '--vault', vault.root]);
    for (const [out, why] of [
      [join(vault.root, 'out'), 'it is in the vault'],
      [join(parent, 'link/out'), 'it is in the vault'],
      [join(vault.root, '..'), 'the vault is in it'],
      [join(parent, 'full'), 'it has files'],
    ] as const) {
      const { status, stderr } = await run(out, '--write');
      expect([status, stderr], out).toEqual([2, expect.stringContaining(why)]);
    }
    expect((await run(join(parent, 'new'))).status).toBe(0);
    expect(existsSync(join(parent, 'new'))).toBe(false);
    expect((await cli(['okf', 'import', parent, '--to', '../out', '--write', '--vault', vault.root])).status).toBe(2);
    for (const to of ['/abs', '\\\\abs', 'C:/abs', join(vault.root, 'k')])
      expect((await cli(['okf', 'import', parent, '--to', to, '--write', '--vault', vault.root])).status, to).toBe(2);
    for (const [own, why] of [
      ['.', 'it is in the vault already'],
      ['beds', 'it is in the vault already'],
      [join(parent, 'link'), 'it is in the vault already'],
      ['..', 'the vault is in it'],
    ] as const) {
      const { status, stderr } = await cli(['okf', 'import', own, '--to', 'k', '--write', '--vault', vault.root], { cwd: vault.root });
      expect([status, stderr], own).toEqual([2, expect.stringContaining(why)]);
    }
    expect(vault.files()).toEqual(Object.keys(BUNDLE).sort());
    expect((await cli(['okf', 'export', '--write', '--vault', vault.root])).status).toBe(2);
    expect(filesIn(parent)).toEqual({ 'full/a.txt': Buffer.from('a') });
    const readOnly = await cli(['okf', 'import', parent, '--write', '--vault', vault.root], { env: { ROUX_READ_ONLY: 'true' } });
    expect([readOnly.status, readOnly.stderr]).toEqual([3, expect.stringContaining('readOnly')]);
  }));
