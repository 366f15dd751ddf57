import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';
import { withPublished } from './static-site.ts';

const NOTES = {
  'README.md': '# Notes of Ana\n\nBegins here. [[One]] [[two]]\n',
  'Guide/One.md': '---\ndescription: The first of them.\ntags: [begin]\n---\nOne links to [[two#Second part]].\n',
  'Guide/two.md': '---\npublish: true\n---\n## Second part\n\nwords\n',
  'Private/three.md': '---\npublish: yes\n---\nx\n',
};

it('U-11 nothing is published without being chosen, and only what is', () =>
  withVault(NOTES, (vault) =>
    withVault({}, async (folder) => {
      const publish = (...args: readonly string[]) => cli(['publish', ...args, '--vault', vault.root], { cwd: vault.root });
      const none = await publish('--out', folder.path('a'));
      expect(none).toMatchObject({ status: 2, stdout: '' });
      expect(none.stderr).toContain('Say what to publish');
      expect(none.stderr).toContain('One note has publish: true.');
      expect(await publish('Nowhere', '--out', folder.path('a'))).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('"Nowhere"'),
      });
      expect(await publish('--all')).toMatchObject({ status: 2, stderr: expect.stringContaining('--out') });
      expect(folder.list('.')).toEqual([]);
      const chosen = async (...args: readonly string[]): Promise<readonly string[]> => {
        const { stdout } = await publish(...args, '--dry-run', '--json');
        return (JSON.parse(stdout) as { notes: { path: string }[] }).notes.map(({ path }) => path);
      };
      expect(await chosen('Guide')).toEqual(['Guide/One.md', 'Guide/two.md']);
      expect(await chosen('./Guide/', 'README.md')).toEqual(['Guide/One.md', 'Guide/two.md', 'README.md']);
      expect(await chosen('Guide/t*')).toEqual(['Guide/two.md']);
      expect(await chosen('--marked')).toEqual(['Guide/two.md']);
      expect(await chosen('--all', '--except', 'Private,README.md')).toEqual(['Guide/One.md', 'Guide/two.md']);
      vault.write('Guide/One.md', '---\npublish: false\n---\nx\n');
      expect(await chosen('--all')).toEqual(['Guide/two.md', 'Private/three.md', 'README.md']);
      // Meant as "no" in any way, also where the properties cannot be read.
      for (const yaml of [
        'publish: no',
        'Publish: off',
        'publish: [false]',
        'publish: false\nk: [1',
        'publish: true\npublish: false',
        'publish: 0',
      ]) {
        vault.write('Guide/One.md', `---\n${yaml}\n---\nx\n`);
        expect(await chosen('Guide'), yaml).toEqual(['Guide/two.md']);
      }
      expect(folder.list('.')).toEqual([]);
    }),
  ));

it('U-11 the folder of the site is never in the vault, and never one with files of somebody else', () =>
  withVault(NOTES, (vault) =>
    withVault({ 'full/mine.txt': 'mine', file: 'x' }, async (folder) => {
      const publish = async (out: string): Promise<string> => {
        const { status, stderr } = await cli(['publish', '--all', '--vault', vault.root, '--out', out], { cwd: vault.root });
        expect(status).toBe(2);
        return stderr;
      };
      for (const out of ['site', '.', '..', '.obsidian/site', '.roux/site']) expect(await publish(out), out).toMatch(/vault/);
      expect(await publish(folder.path('full'))).toContain('mine.txt');
      expect(await publish(folder.path('file'))).toContain('it is a file');
      expect(folder.read('full/mine.txt')).toBe('mine');
      expect(await cli(['publish', '--all', '--vault', vault.root, '--out', '.site'], { cwd: vault.root })).toMatchObject({ status: 0 });
      // A dot-folder is no part of the vault.
      expect((await cli(['list', '--vault', vault.root, '--json'])).stdout).not.toContain('.site');
    }),
  ));

it('U-11 a repeat replaces the whole site, leaves the files of others, and finishes what was interrupted', () =>
  withPublished(NOTES, ['--all', '--base-url', 'https://ana.example/notes'], async (site) => {
    const { vault, out } = site;
    expect(site.files()).toEqual(
      expect.arrayContaining([
        'index.html',
        'Guide/One.html',
        'Private/three.html',
        'tags/begin.html',
        'sitemap.xml',
        '404.html',
        '.nojekyll',
      ]),
    );
    expect(site.read('sitemap.xml')).toContain('<loc>https://ana.example/notes/Guide/One.html</loc>');
    const page = site.read('Guide/One.html');
    expect(page).toContain('<link rel="canonical" href="https://ana.example/notes/Guide/One.html" />');
    expect(page).toContain('<meta name="description" content="The first of them." />');
    expect(page).toContain('href="two.html#note-second-part"');
    expect(page).toContain('<title>One – Notes of Ana</title>');
    expect(site.read('404.html')).toContain('href="/notes/assets/');

    writeFileSync(join(out, 'CNAME'), 'ana.example');
    mkdirSync(join(out, '.git'));
    writeFileSync(join(out, '.git/HEAD'), 'ref');
    mkdirSync(join(out, 'Guide/own'));
    writeFileSync(join(out, 'Guide/own/file.txt'), 'own');
    vault.remove('Private/three.md');
    // A process that ended between the two renames of an earlier run.
    renameSync(out, `${out}.roux-last`);
    expect((await site.publish('Guide', '--title', 'Guide')).status).toBe(0);
    const files = site.files();
    expect(files).toEqual(expect.arrayContaining(['CNAME', '.git/HEAD', 'Guide/own/file.txt', 'Guide/One.html', 'index.html']));
    expect(files.filter((file) => /Private|sitemap/.test(file))).toEqual([]);
    // And one that ended before the last site was removed.
    mkdirSync(`${out}.roux-last/Guide`, { recursive: true });
    writeFileSync(`${out}.roux-last/later.txt`, 'later');
    writeFileSync(`${out}.roux-last/Guide/One.html`, 'old');
    writeFileSync(`${out}.roux-last/.roux-site.json`, JSON.stringify({ files: ['Guide/One.html'] }));
    expect((await site.publish('Guide')).status).toBe(0);
    expect(readFileSync(join(out, 'later.txt'), 'utf8')).toBe('later');
    expect(site.read('Guide/One.html')).not.toBe('old');
    expect(existsSync(`${out}.roux-last`)).toBe(false);
    expect(existsSync(`${out}.roux-next`)).toBe(false);

    // What fails leaves the site as it is.
    const before = site.read('index.html');
    expect((await site.publish('Guide', '--home', 'nothing')).status).toBe(1);
    expect(site.read('index.html')).toBe(before);
  }));

it('U-11 names that differ by case, by signs, or not on every system get a page each', () => {
  const names = [
    'A',
    'a',
    'A b',
    'A-b',
    'What?',
    'What',
    '100%',
    'c#',
    'dots..',
    '日本語',
    'Ünï',
    'con',
    'index',
    'graph',
    'x'.repeat(150),
    '語'.repeat(70),
  ];
  const files = Object.fromEntries(names.map((name) => [`${name}.md`, `# Page ${name}\n`]));
  return withPublished(
    {
      ...files,
      'tags/x.md': 'in tags\n',
      'TAGS/X.md': '# Page TAGS\n',
      'x.html/y.md': 'y\n',
      'all.md': names.map((name) => `[${name}](<${encodeURIComponent(name)}.md>)`).join('\n\n'),
    },
    ['--all', '--home', 'all'],
    async (site) => {
      const pages = site.files().filter((file) => file.endsWith('.html'));
      expect(new Set(pages.map((file) => file.toLowerCase())).size).toBe(pages.length);
      for (const name of names) {
        const title = `Page ${name}`.replaceAll('&', '&amp;');
        expect(
          pages.filter((file) => site.read(file).includes(`>${title}</h1>`)),
          name,
        ).toHaveLength(1);
      }
      const home = site.read('index.html');
      const links = [...home.matchAll(/href="([^"#]+\.html)" class="internal"|class="internal" href="([^"#]+\.html)"/g)];
      expect(links.length).toBeGreaterThan(names.length - 4);
      for (const [, one, other] of links) expect(pages).toContain(decodeURIComponent(one ?? other ?? ''));
    },
  );
});

it.skipIf(process.platform === 'win32')('U-11 a symbolic link does not publish the text of a note that is not chosen', () =>
  withVault({ ...NOTES, 'Hidden/four.md': '---\npublish: false\n---\nthe hidden text\n' }, (vault) =>
    withVault({}, async (folder) => {
      for (const [name, target] of [
        ['link to private', '../Private/three.md'],
        ['link to hidden', '../Hidden/four.md'],
        ['link to link', 'link to private.md'],
        ['link to public', 'One.md'],
      ] as const)
        symlinkSync(target, vault.path(`Guide/${name}.md`));
      const publish = async (...args: readonly string[]) => {
        const { stdout } = await cli(['publish', ...args, '--vault', vault.root, '--dry-run', '--json'], { cwd: vault.root });
        const { notes, notes_left: left } = JSON.parse(stdout) as { notes: { path: string }[]; notes_left: { linked: number } };
        return { paths: notes.map(({ path }) => path), linked: left.linked };
      };
      expect(await publish('Guide')).toEqual({ paths: ['Guide/One.md', 'Guide/link to public.md', 'Guide/two.md'], linked: 2 });
      // Only where what it leads to is chosen too.
      expect((await publish('Guide', 'Private')).paths).toContain('Guide/link to link.md');
      expect((await publish('--all')).paths).not.toContain('Guide/link to hidden.md');
      const out = folder.path('site');
      const { stdout } = await cli(['publish', 'Guide', '--vault', vault.root, '--out', out], { cwd: vault.root });
      expect(stdout).toContain('2 symbolic links left out, to notes that are not chosen');
      expect(folder.list('site').filter((file) => /private|hidden|to-link/i.test(file))).toEqual([]);
    }),
  ),
);
