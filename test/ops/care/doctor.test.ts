import { linkSync, renameSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config.ts';
import { allToolsets } from '../../../src/ops/all.ts';
import { loadChecks } from '../../../src/ops/call/guards.ts';
import { diagnose } from '../../../src/ops/care/diagnose.ts';
import type { Finding, FindingKind } from '../../../src/ops/care/finding.ts';
import { fixFindings } from '../../../src/ops/care/fix.ts';
import type { OperationContext } from '../../../src/ops/operation.ts';
import { planRename } from '../../../src/vault/links/rename.ts';
import type { CountedVault } from '../../../src/vault/open-vault.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { vaultsNamed } from '../../support/vaults.ts';
import type { TestVault, VaultSource } from '../../support/vault.ts';

const contextOf = (vault: CountedVault, isDryRun = false): OperationContext => ({
  vault,
  config: vault.settings.config,
  agent: 'ada',
  actor: 'ada/1.0',
  session: 'test',
  writeOptions: { dryRun: isDryRun },
  signal: new AbortController().signal,
  progress: () => undefined,
  warn: () => undefined,
  readLog: null,
  include: () => undefined,
  takeWarnings: () => [],
  toolsets: async () => allToolsets,
});

const diagnoseAll = async (vault: CountedVault): Promise<readonly Finding[]> =>
  diagnose(vault, { rebuild: false, checks: await loadChecks(contextOf(vault)) });

const withDoctor = (
  source: VaultSource,
  run: (files: TestVault, vault: CountedVault) => Promise<void>,
  config: Parameters<typeof configSchema.parse>[0] = {},
): Promise<void> =>
  withVault(source, (files) =>
    withOpen(files.root, (vault) => run(files, vault), { isFollowing: false, config: configSchema.parse(config) }),
  );

const kindsOf = (findings: readonly Pick<Finding, 'kind'>[]): readonly FindingKind[] => findings.map(({ kind }) => kind);
const ofKind = (findings: readonly Finding[], kind: FindingKind): readonly Finding[] => findings.filter((finding) => finding.kind === kind);

describe('diagnose', () => {
  it('finds nothing in a vault without fault', () =>
    withDoctor({ 'a.md': '[[b]]', 'b.md': '---\ntags: [x]\n---\n![[i.png]]', 'i.png': 'x' }, async (_, vault) => {
      expect(await diagnose(vault, { rebuild: true, checks: [] })).toEqual([]);
    }));

  it('finds broken frontmatter, conflict copies and unfinished merges, each with its place', () =>
    withDoctor(
      {
        'bad.md': '---\na: 1\nb: [\n---\n',
        'x.sync-conflict-20260101-101010.md': 'copy',
        'm.md': 'one\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n',
        'heading.md': 'Title\n=======\n',
      },
      async (_, vault) => {
        const findings = await diagnose(vault, { rebuild: false, checks: [] });
        expect(kindsOf(findings)).toEqual(['frontmatter', 'conflict-copy', 'conflict-marker']);
        expect(findings.map(({ paths }) => paths)).toEqual([['bad.md'], ['x.sync-conflict-20260101-101010.md'], ['m.md']]);
        expect(findings.every(({ fix }) => fix === undefined)).toBe(true);
      },
    ));

  it('reads the text of a note once, and again when it has changed or something was found in it', () =>
    withDoctor({ 'a.md': 'A', 'b.md': 'B', 'c.md': '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n' }, async (files, vault) => {
      const read: string[] = [];
      const counted = {
        ...vault,
        notes: { ...vault.notes, readTextUnstable: (path) => (read.push(path), vault.notes.readTextUnstable(path)) },
      } as CountedVault;
      const marked = async (): Promise<readonly string[]> =>
        ofKind(await diagnose(counted, { rebuild: false, checks: [] }), 'conflict-marker').flatMap(({ paths }) => paths);
      expect(await marked()).toEqual(['c.md']);
      expect(read.splice(0)).toEqual(['a.md', 'b.md', 'c.md']);
      files.write('b.md', '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n');
      files.write('c.md', 'whole');
      await vault.refresh('strict');
      expect(await marked()).toEqual(['b.md']);
      expect(read.splice(0)).toEqual(['b.md', 'c.md']);
      files.write('a.md', 'not yet in the graph');
      expect(await marked()).toEqual(['b.md']);
      expect(read.splice(0)).toEqual(['b.md']);
    }));

  it('S17 finds names that differ only by case or Unicode form, once', () =>
    withDoctor({ 'Note.md': 'a', 'note.md': 'b', 'caf\u00e9.md': 'c', 'cafe\u0301.md': 'd' }, async (_, vault) => {
      const findings = await diagnose(vault, { rebuild: false, checks: [] });
      // A file system that cannot hold both keeps one of each.
      const expected: readonly FindingKind[] = vault.graph.size === 4 ? ['name-twin', 'name-twin'] : [];
      expect(kindsOf(findings)).toEqual(expected);
    }));

  it('finds links that several files fit', () =>
    withDoctor({ 'a/n.md': '', 'b/n.md': '', 'l.md': '[[n]]' }, async (_, vault) => {
      const [finding] = await diagnose(vault, { rebuild: false, checks: [] });
      expect(finding).toMatchObject({ kind: 'ambiguous-link', paths: ['l.md'] });
    }));

  it('finds links to headings and blocks that are not there, with the nearest', () =>
    withDoctor(
      {
        'n.md': '# Plan\n## First steps\n## B: two\n^b\n\n- item ^item-1\n\n| a |\n|---|\n| b |\n^table\n',
        'l.md':
          '---\nup: "[[n#Plans]]"\n---\n[[n#First step]] [x](n.md#First%20steps) ![[n#plan#b two]] [[n#^item-2]] [[#Own]] [[n#]] [[gone#x]]\n',
        'm.md': '[[n#First step|x]] [[n#First steps#Plan]] [[n#^ITEM-1]] [[n#^table]] [[n#^b]] [[#^own]]\n',
      },
      async (_, vault) => {
        const findings = (await diagnose(vault, { rebuild: false, checks: [] })).filter(({ kind }) => kind === 'missing-heading');
        expect(findings.map(({ paths, message, nearest }) => [paths, message, nearest?.()])).toEqual([
          [['l.md'], '[[n#Plans]] leads to no heading of n.md', 'Plan'],
          [['l.md', 'm.md'], '[[n#First step]] leads to no heading of n.md', 'First steps'],
          [['l.md'], '[[n#^item-2]] leads to no block of n.md', '^item-1'],
          [['l.md'], '[[#Own]] leads to no heading of l.md', undefined],
          [['m.md'], '[[n#First steps#Plan]] leads to no heading of n.md', 'Plan'],
          [['m.md'], '[[#^own]] leads to no block of m.md', undefined],
        ]);
      },
    ));

  it('finds no links to headings in quotes or with formats, anchors of other programs, and blocks that only Obsidian reads', () =>
    withDoctor(
      {
        'n.md': [
          '> [!note] Call\n> ## In a callout\n> quoted\n> ^in-quote\n',
          "## **Bold** and `code` and ==more==\n## Don't do: it!\n## [Site](https://x.y/z)\n",
          '<a id="old-anchor"></a>\n\n```js\ncode\n```\n^after-code\n\n$$\nx\n$$\n^after-math\n',
        ].join('\n'),
        'l.md': [
          "[[n#In a callout]] [[n#Bold and code and more]] [x](n.md#dont-do-it) [[n#Don't do it]] [[n#Site https //x.y/z]]",
          '[x](n.md#old-anchor) [[n#^in-quote]] [[n#^after-code]] [[n#^after-math]] [[n#^frame=x1]] [[p.pdf#page=3]] [[c.canvas#x]] [[b.base#View]]',
        ].join('\n'),
        'p.pdf': '%PDF',
        'c.canvas': '{}',
        'b.base': '',
      },
      async (_, vault) => expect(ofKind(await diagnose(vault, { rebuild: false, checks: [] }), 'missing-heading')).toEqual([]),
    ));

  it('finds tasks that wait for one another, and for themselves', () => {
    const task = (depends: string): string => `---\ntype: task\nresolved: false\ndepends_on: ["[[${depends}]]"]\n---\n`;
    return withDoctor(
      { 'projects/p/a.md': task('b'), 'projects/p/b.md': task('a'), 'projects/p/c.md': task('c'), 'projects/p/d.md': task('a') },
      async (_, vault) => {
        const cycles = ofKind(await diagnoseAll(vault), 'task-cycle');
        expect(cycles.map(({ paths }) => paths)).toEqual([['projects/p/a.md', 'projects/p/b.md'], ['projects/p/c.md']]);
      },
    );
  });

  it('S0-42 finds types that the ontology does not know, and singletons of which there are two', () =>
    withDoctor(
      {
        'ontology.md': '---\ntype: ontology\nnode_types: [vision, person]\n---\n',
        'one.md': '---\ntype: vision\ncreated_at: 2026-01-02T00:00:00.000Z\n---\n',
        'two.md': '---\ntype: vision\ncreated_at: 2026-01-01T00:00:00.000Z\n---\n',
        'p1.md': '---\ntype: person\n---\n',
        'p2.md': '---\ntype: person\n---\n',
        'odd.md': '---\ntype: recipe\n---\n',
        'task.md': '---\ntype: task\n---\n',
      },
      async (_, vault) => {
        const findings = await diagnoseAll(vault);
        expect(findings.map(({ kind, paths }) => [kind, ...paths])).toEqual([
          ['unknown-type', 'odd.md'],
          ['duplicate-singleton', 'two.md', 'one.md'],
        ]);
      },
      { ontology: { singletons: ['vision'] } },
    ));

  it('finds an ontology that cannot be read', () =>
    withDoctor({ 'ontology.md': '---\nnode_types: nothing\n---\n' }, async (_, vault) => {
      expect(kindsOf(await diagnoseAll(vault))).toEqual(['ontology']);
    }));

  it('finds what an unfinished write left, where nothing may be written to end it', () =>
    withDoctor(
      { 'a.md': 'A', '.roux/journal/01j00000000000000000000000.draft': 'torn' },
      async (_, vault) => {
        expect((await diagnose(vault, { rebuild: false, checks: [] })).map(({ kind, paths }) => [kind, ...paths])).toEqual([
          ['journal', '.roux/journal/01j00000000000000000000000.draft'],
        ]);
      },
      { readOnly: true },
    ));

  for (const { name, root, isThere } of vaultsNamed('every-link', 'library', 'kepano', 'obsidian-help-en')) {
    it.skipIf(!isThere)(`agrees with a fresh rebuild on ${name}`, () =>
      withVault(root, (files) =>
        withOpen(files.root, async (vault) => expect((await vault.health.verify({ rebuild: true })).drift).toEqual([]), {
          isFollowing: false,
        }),
      ),
    );
  }
});

describe('fixing', () => {
  it('F21 heals links to a name that a note gave up, also ones written after the rename', () =>
    withDoctor({ 'Old.md': 'x', 'a.md': '[[Old]]' }, async (files, vault) => {
      const context = contextOf(vault);
      await vault.writes.write({ operation: 'rename', agent: 'ada' }, (graph) =>
        planRename(
          {
            graph,
            readText: () => null,
            style: vault.settings.linkStyle(),
            at: '2026-01-01T00:00:00.000Z',
            filenames: 'title',
            renameAlias: 'off',
          },
          'Old.md',
          { title: 'New' },
        ),
      );
      // An editor saves a stale buffer.
      files.write('a.md', '[[Old#h|it]], [t](Old.md "T") and `[[Old]]`\n');
      await vault.refresh('strict');
      const [finding] = ofKind(await diagnose(vault, { rebuild: false, checks: [] }), 'unresolved-link');
      expect(finding?.fix?.summary).toBe('write [[New#h]], [[New.md]] there');
      const dry = await fixFindings(contextOf(vault, true));
      expect(dry.committed.diff).toContain('-[[Old#h|it]], [t](Old.md "T") and `[[Old]]`\n+[[New#h|it]], [t](New.md "T") and `[[Old]]`\n');
      expect(files.read('a.md')).toContain('[[Old#h|it]]');
      await fixFindings(context);
      expect(files.read('a.md')).toBe('[[New#h|it]], [t](New.md "T") and `[[Old]]`\n');
      expect(ofKind(await diagnose(vault, { rebuild: false, checks: [] }), 'unresolved-link')).toEqual([]);
    }));

  it('heals links to an alias or a title that one note alone has, and leaves those of two alone', () =>
    withDoctor(
      {
        'new-name.md': '---\ntitle: The New Name\naliases: [Old Name]\n---\n',
        'x.md': '---\naliases: [Both]\n---\n',
        'y.md': '---\naliases: [both]\n---\n',
        'links.md': '[[old name]] ![[Old Name#part]] [[The New Name|n]] [[Both]] [[folder/Old Name]] [[Nowhere]]\n',
        'p.md': '---\nup: "[[Old Name]]"\nrev: 3\n---\n',
      },
      async (files, vault) => {
        await fixFindings(contextOf(vault));
        expect(files.read('links.md')).toBe('[[new-name]] ![[new-name#part]] [[new-name|n]] [[Both]] [[folder/Old Name]] [[Nowhere]]\n');
        expect(files.read('p.md')).toMatch(/^---\nup: "\[\[new-name\]\]"\nrev: 4\n/);
      },
    ));

  it('follows a rename that was made outside, canvases too', () =>
    withDoctor(
      { 'Old.md': 'the text', 'a.md': '[[Old]]', 'c.canvas': '{"nodes":[{"id":"1","type":"file","file":"Old.md"}]}' },
      async (files, vault) => {
        renameSync(files.path('Old.md'), files.path('New.md'));
        await vault.refresh('strict');
        expect((await diagnose(vault, { rebuild: false, checks: [] })).map(({ kind, paths }) => [kind, ...paths])).toEqual([
          ['unresolved-link', 'a.md'],
          ['unresolved-link', 'c.canvas'],
        ]);
        const { committed } = await fixFindings(contextOf(vault));
        expect(committed.files.filter(({ changed }) => changed)).toHaveLength(2);
        expect(files.read('a.md')).toBe('[[New]]');
        expect(files.read('c.canvas')).toBe('{"nodes":[{"id":"1","type":"file","file":"New.md"}]}');
      },
    ));

  it('F21 gives the copy of a note a new id and keeps both texts', () =>
    withDoctor({ 'seed.md': '' }, async (files, vault) => {
      const id = 't_01jaaaaaaaaaaaaaaaaaaaaaaa';
      await vault.writes.write({ operation: 'create', agent: 'ada' }, () => ({
        files: [{ kind: 'create', path: 'z.md', text: `---\nid: ${id}\nrev: 1\n---\nbody\n` }],
      }));
      files.write('a.md', `---\nid: ${id}\n---\nthe copy\n`);
      await vault.refresh('strict');
      const [finding] = ofKind(await diagnose(vault, { rebuild: false, checks: [] }), 'duplicate-id');
      expect(finding).toMatchObject({ paths: ['a.md', 'z.md'], fix: { summary: 'keep it in z.md, give the other a new one' } });
      await fixFindings(contextOf(vault));
      expect(files.read('z.md')).toBe(`---\nid: ${id}\nrev: 1\n---\nbody\n`);
      expect(files.read('a.md')).toMatch(/^---\nid: t_[0-9a-z]{26}\n---\nthe copy\n$/);
      expect(files.read('a.md')).not.toContain(id);
      expect(await diagnose(vault, { rebuild: false, checks: [] })).toEqual([]);
    }));

  it('gives no new id where nothing tells the copy from the original', () =>
    withDoctor({ 'a.md': '---\nid: n_1\n---\none\n', 'b.md': '---\nid: n_1\n---\ntwo\n' }, async (_, vault) => {
      const [finding] = await diagnose(vault, { rebuild: false, checks: [] });
      expect(finding).toMatchObject({ kind: 'duplicate-id', paths: ['a.md', 'b.md'] });
      expect(finding).not.toHaveProperty('fix');
    }));

  it('S12 writes tags that are one text as a list, and guesses at nothing else', () =>
    withDoctor(
      {
        'a.md': '---\ntags: one, two/three # mine\nx: 1\n---\n',
        'b.md': '---\ntags: one two\n---\n',
        'c.md': '---\ntags: one\n---\n',
        'd.md': '---\ntags: not a tag, two\n---\n',
        'e.md': '---\ntag: x\nTAGS: [y]\n---\n',
      },
      async (files, vault) => {
        const before = { c: files.read('c.md'), d: files.read('d.md'), e: files.read('e.md') };
        const findings = await diagnose(vault, { rebuild: false, checks: [] });
        expect(findings.map(({ paths, fix }) => [paths[0], fix?.summary])).toEqual([
          ['a.md', 'write it as a list of 2'],
          ['b.md', 'write it as a list of 2'],
          ['d.md', undefined],
          ['e.md', undefined],
          ['e.md', undefined],
        ]);
        await fixFindings(contextOf(vault));
        expect(vault.graph.get('a.md')?.properties['tags']).toEqual(['one', 'two/three']);
        expect(files.read('a.md')).toContain('\nx: 1\n---\n');
        expect(vault.graph.get('b.md')?.properties['tags']).toEqual(['one', 'two']);
        expect({ c: files.read('c.md'), d: files.read('d.md'), e: files.read('e.md') }).toEqual(before);
      },
    ));

  it('puts several things right in one note, once, in one transaction', () =>
    withDoctor(
      {
        'n.md': '---\naliases: [Old]\nid: n_1\n---\n',
        'm.md': '---\nid: n_1\nrev: 1\ntags: a, b\n---\n[[Old]]\n',
      },
      async (files, vault) => {
        utimesSync(files.path('n.md'), 1, 1);
        await vault.refresh('strict');
        const { committed, findings } = await fixFindings(contextOf(vault));
        expect(kindsOf(findings)).toEqual(['duplicate-id', 'unresolved-link', 'tags']);
        expect(committed.events).toHaveLength(committed.files.filter(({ changed }) => changed).length);
        expect(vault.graph.get('m.md')?.properties['rev']).toBe(2);
        expect(await diagnose(vault, { rebuild: true, checks: [] })).toEqual([]);
        const again = await fixFindings(contextOf(vault));
        expect(again.committed.batch).toBeNull();
      },
    ));

  it('leaves a note that cannot be written as it is, says so, and puts the rest right', () =>
    withDoctor(
      { 'a.md': '---\naliases: [Old]\n---\n', 'x.md': '[[Old]]\n', 'y.md': '[[Old]]\n', 'z.md': '---\ntags: a, b\n---\n' },
      async (files, vault) => {
        linkSync(files.path('x.md'), files.path('x.txt'));
        const warnings: string[] = [];
        const { committed } = await fixFindings({ ...contextOf(vault), warn: (message) => void warnings.push(message) });
        expect(warnings).toEqual([expect.stringContaining('Not fixed: x.md is one of 2 hard links')]);
        expect(files.read('x.md')).toBe('[[Old]]\n');
        expect(files.read('y.md')).toContain('[[a]]');
        expect(files.read('z.md')).toContain('- a\n');
        expect(committed.batch).not.toBeNull();
      },
    ));

  it('writes nothing with a dry run', () =>
    withDoctor({ 'a.md': '---\ntags: a, b\n---\n' }, async (files, vault) => {
      const { committed } = await fixFindings(contextOf(vault, true));
      expect(committed.diff).toContain('-tags: a, b');
      expect(files.read('a.md')).toBe('---\ntags: a, b\n---\n');
      expect(files.exists('.roux/history')).toBe(false);
    }));
});
