import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseNote } from '../../../src/note/parse.ts';
import { toNotePath } from '../../../src/note/path.ts';
import { cli, program } from '../../support/program/cli.ts';
import { hasGit, mergeSides, withGitVault } from '../../support/git.ts';
import { randomOf } from '../../support/random.ts';
import { withVault } from '../../support/vault.ts';

const task = (fields: readonly string[], body = '# Task\n\nWhat to do.\n'): string =>
  ['---', 'id: t_1', ...fields, '---', ''].join('\n') + body;

const dataOf = (text: string): unknown => {
  const path = toNotePath('note.md');
  if (path === null) throw new Error('note.md');
  const { frontmatter } = parseNote(path, text);
  expect(frontmatter.isReadable).toBe(true);
  return JSON.parse(JSON.stringify(frontmatter.data));
};

describe.skipIf(!hasGit)('roux git install', () => {
  it('writes the attributes and the driver once, and keeps what was there', () =>
    withGitVault({ 'a.md': 'A', '.gitattributes': '*.png binary' }, async (vault) => {
      const first = await cli(['git', 'install', '--vault', vault.root]);
      expect(first).toMatchObject({ status: 0 });
      const lines = '*.png binary\n*.md merge=roux\n.roux/history/*.jsonl merge=union\n';
      expect(vault.read('.gitattributes')).toBe(lines);
      expect(vault.git('config', 'merge.roux.driver')).toMatch(/ merge-driver %O %A %B %P\n$/);
      await cli(['git', 'install', '--vault', vault.root]);
      expect(vault.read('.gitattributes')).toBe(lines);
    }));

  it('says what is missing where there is no repository', async () => {
    const { status, stderr } = await cli(['git', 'install', '--vault', '/']);
    expect(status).toBe(2);
    expect(stderr).toContain('git init');
  });

  it('calls roux by its name where that is on the path', () =>
    withGitVault({ 'a.md': 'A', 'bin/.keep': '' }, async (vault) => {
      mkdirSync(vault.path('tools'));
      symlinkSync(program, vault.path('tools/roux'));
      chmodSync(program, 0o755);
      await cli(['git', 'install', '--vault', vault.root], {
        env: { PATH: `${vault.path('tools')}${delimiter}${process.env['PATH'] ?? ''}` },
      });
      expect(vault.git('config', 'merge.roux.driver')).toBe('roux merge-driver %O %A %B %P\n');
    }));
});

describe.skipIf(!hasGit)('the merge driver', () => {
  it('keeps evidence that both sides appended, and counts the revision on', () => {
    const evidence = (refs: readonly string[], rev: number, at: string): string =>
      task([`rev: ${rev}`, `updated_at: ${at}`, 'evidence:', ...refs.map((ref) => `  - { type: commit, ref: ${ref} }`)]);
    return withGitVault({ 'task.md': evidence(['aaa'], 4, '2026-01-01T00:00:00.000Z') }, async (vault) => {
      const merged = await mergeSides(vault, {
        ours: () => vault.write('task.md', evidence(['aaa', 'ours'], 5, '2026-01-02T00:00:00.000Z')),
        theirs: () => vault.write('task.md', evidence(['aaa', 'theirs'], 6, '2026-01-03T00:00:00.000Z')),
      });
      expect(merged).toMatchObject({ status: 0 });
      expect(dataOf(vault.read('task.md'))).toEqual({
        id: 't_1',
        rev: 7,
        updated_at: '2026-01-03T00:00:00.000Z',
        evidence: ['aaa', 'ours', 'theirs'].map((ref) => ({ type: 'commit', ref })),
      });
      expect(vault.git('status', '--porcelain')).toBe('');
    });
  });

  it('merges different properties of neighbouring lines, tags as a set, with comments kept', () =>
    withGitVault({ 'task.md': task(['status: open # by hand', 'tags: [a, b]', 'due: 2026-01-01']) }, async (vault) => {
      const merged = await mergeSides(vault, {
        ours: () => vault.write('task.md', task(['status: doing # by hand', 'tags: [a, b, ours]', 'due: 2026-01-01'])),
        theirs: () => vault.write('task.md', task(['status: open # by hand', 'tags: [b, theirs]', 'due: 2026-02-02'])),
      });
      expect(merged).toMatchObject({ status: 0 });
      expect(dataOf(vault.read('task.md'))).toEqual({ id: 't_1', status: 'doing', tags: ['b', 'ours', 'theirs'], due: '2026-02-02' });
      expect(vault.read('task.md')).toContain('# by hand');
    }));

  it('leaves markers in the body only, also where both sides changed the properties', () =>
    withGitVault({ 'task.md': task(['rev: 1', 'note: x'], 'one\ntwo\nthree\n') }, async (vault) => {
      const merged = await mergeSides(vault, {
        ours: () => vault.write('task.md', task(['rev: 2', 'note: x', 'mine: 1'], 'one\nours\nthree\n')),
        theirs: () => vault.write('task.md', task(['rev: 2', 'note: y', 'other: 2'], 'one\ntheirs\nthree\n')),
      });
      expect(merged.status).toBe(1);
      expect(merged.output).toContain('choose between the markers');
      expect(vault.git('ls-files', '--unmerged')).toContain('task.md');
      const text = vault.read('task.md');
      expect(dataOf(text)).toEqual({ id: 't_1', rev: 3, note: 'y', mine: 1, other: 2 });
      expect(text.slice(text.indexOf('one'))).toBe('one\n<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\nthree\n');
    }));

  it('names a conflict between two values of a property, and writes no marker for it', () =>
    withGitVault({ 'task.md': task(['status: open']) }, async (vault) => {
      const merged = await mergeSides(vault, {
        ours: () => vault.write('task.md', task(['status: doing'])),
        theirs: () => vault.write('task.md', task(['status: done'])),
      });
      expect(merged.status).toBe(1);
      expect(merged.output).toContain('different values');
      expect(vault.read('task.md')).toBe(task(['status: doing']));
    }));

  it('keeps every line that both sides added to the history', () => {
    const line = (seq: number, agent: string): string =>
      `${JSON.stringify({ seq, timestamp: `2026-01-01T00:00:0${seq}.000Z`, node: 'a', path: 'a.md', agent, action: 'updated', changes: [] })}\n`;
    return withGitVault({ '.roux/history/2026-01.jsonl': line(1, 'x') }, async (vault) => {
      const merged = await mergeSides(vault, {
        ours: () => vault.write('.roux/history/2026-01.jsonl', line(1, 'x') + line(2, 'ours')),
        theirs: () => vault.write('.roux/history/2026-01.jsonl', line(1, 'x') + line(2, 'theirs') + line(3, 'theirs')),
      });
      expect(merged).toMatchObject({ status: 0 });
      const lines = vault.read('.roux/history/2026-01.jsonl').split('\n');
      expect(lines.map((text) => text + (text === '' ? '' : '\n')).sort()).toEqual(
        ['', line(1, 'x'), line(2, 'ours'), line(2, 'theirs'), line(3, 'theirs')].sort(),
      );
    });
  });

  it('brings a change to the note that the other side renamed', () => {
    const text = (status: string): string => task([`status: ${status}`, 'tags: [a]'], `${'A long body that stays.\n'.repeat(20)}`);
    return withGitVault({ 'old.md': text('open'), 'links.md': '[[old]]\n' }, async (vault) => {
      const merged = await mergeSides(vault, {
        ours: () => {
          vault.git('mv', 'old.md', 'new.md');
          vault.write('links.md', '[[new]]\n');
          vault.write('new.md', text('open').replace('tags: [a]', 'tags: [a, ours]'));
        },
        theirs: () => vault.write('old.md', text('done').replace('tags: [a]', 'tags: [a, theirs]')),
      });
      expect(merged).toMatchObject({ status: 0 });
      expect(vault.files()).not.toContain('old.md');
      expect(dataOf(vault.read('new.md'))).toEqual({ id: 't_1', status: 'done', tags: ['a', 'ours', 'theirs'] });
      expect(vault.read('links.md')).toBe('[[new]]\n');
    });
  });

  it('works in a vault that is a folder of the repository, wherever ROUX_VAULT points to', () =>
    withGitVault({ 'notes/t.md': task(['tags: [a]']), 'code.txt': 'x' }, async (vault) => {
      const merged = await mergeSides(
        vault,
        {
          ours: () => vault.write('notes/t.md', task(['tags: [a, ours]'])),
          theirs: () => vault.write('notes/t.md', task(['tags: [a, theirs]'])),
        },
        'notes',
      );
      expect(merged).toMatchObject({ status: 0 });
      expect(vault.read('notes/.gitattributes')).toContain('*.md merge=roux');
      expect(dataOf(vault.read('notes/t.md'))).toEqual({ id: 't_1', tags: ['a', 'ours', 'theirs'] });
      const versions = ['o', 'a', 'b'].map((name) => vault.path(name));
      for (const file of ['o', 'a', 'b']) vault.write(file, task([`tags: [${file}]`]));
      const nowhere = await cli(['merge-driver', ...versions], { cwd: vault.root, env: { ROUX_VAULT: '/nowhere' } });
      expect(nowhere).toMatchObject({ status: 0, stderr: '' });
      expect(dataOf(vault.read('a'))).toEqual({ id: 't_1', tags: ['a', 'b'] });
    }));

  it('F54 ends soon with texts made to be slow to compare, and keeps both sides where it cannot tell', () =>
    withVault({}, async (vault) => {
      const random = randomOf('letters');
      const letters = (): string => Array.from({ length: 20_000 }, () => `${random.pick(['a', 'b'])}\n`).join('');
      const merge = async (base: string, ours: string, theirs: string): Promise<{ status: number | null; text: string }> => {
        for (const [file, text] of Object.entries({ base, ours, theirs })) vault.write(file, text);
        const { status } = await cli(['merge-driver', ...['base', 'ours', 'theirs'].map((file) => vault.path(file)), 'a.md']);
        return { status, text: vault.read('ours') };
      };
      const same = 'a\n'.repeat(5000);
      expect(await merge(same, `x\n${same}`, `${same}y\n`)).toEqual({ status: 0, text: `x\n${same}y\n` });
      for (const [base, ours, theirs] of [
        ['\n'.repeat(5000), '\n'.repeat(2000), `${'\n'.repeat(5000)}end\n`],
        [letters(), letters(), letters()],
      ] as const) {
        const { status, text } = await merge(base, ours, theirs);
        expect(status).toBe(1);
        // Whichever side a person takes is there whole.
        expect(text.replace(/^={7}\n[^]*?^>{7} theirs\n/gm, '').replace(/^<{7} ours\n/gm, '') === ours).toBe(true);
        expect(text.replace(/^<{7} ours\n[^]*?^={7}\n/gm, '').replace(/^>{7} theirs\n/gm, '') === theirs).toBe(true);
      }
    }));

  it('merges line by line what is no text, and works in a vault whose configuration is broken', () =>
    withGitVault({ 'a.md': Buffer.from([0xff, 0x0a, 0x41, 0x0a, 0x42, 0x0a]), 'b.md': '---\nx: 1\n---\n' }, async (vault) => {
      vault.write('.rouxrc.json', '{}');
      const merged = await mergeSides(vault, {
        ours: () => {
          vault.write('a.md', Buffer.from([0xfe, 0x0a, 0x41, 0x0a, 0x42, 0x0a]));
          vault.write('b.md', '---\nx: 1\ny: 1\n---\n');
          vault.write('.rouxrc.json', '<<<<<<< broken');
        },
        theirs: () => {
          vault.write('a.md', Buffer.from([0xff, 0x0a, 0x41, 0x0a, 0x43, 0x0a]));
          vault.write('b.md', '---\nx: 1\nz: 1\n---\n');
        },
      });
      expect(merged).toMatchObject({ status: 0 });
      expect([...vault.readBytes('a.md')]).toEqual([0xfe, 0x0a, 0x41, 0x0a, 0x43, 0x0a]);
      expect(dataOf(vault.read('b.md'))).toEqual({ x: 1, y: 1, z: 1 });
    }));
});
