import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  statSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

describe('files that the server finds', () => {
  it('F33 mode and symbolic links are kept; hard links and write-protected notes are refused with the reason', () =>
    withVault({ 'a.md': 'A\n', 'real/b.md': 'B\n', 'c.md': 'C\n', 'd.md': 'D\n' }, async (vault) => {
      chmodSync(vault.path('a.md'), 0o640);
      symlinkSync('real/b.md', vault.path('link.md'));
      linkSync(vault.path('c.md'), vault.path('c2.md'));
      chmodSync(vault.path('d.md'), 0o444);
      await withServer(vault, async ({ ask, refuse }) => {
        await ask('update_node', { id: 'a.md', properties: { x: 1 } });
        await ask('update_node', { id: 'link.md', properties: { x: 1 } });
        expect(statSync(vault.path('a.md')).mode & 0o777).toBe(0o640);
        expect(lstatSync(vault.path('link.md')).isSymbolicLink()).toBe(true);
        expect(vault.read('real/b.md')).toContain('x: 1');
        expect(JSON.stringify(await refuse('update_node', { id: 'c.md', properties: { x: 1 } }))).toContain('hard links');
        expect(JSON.stringify(await refuse('update_node', { id: 'd.md', properties: { x: 1 } }))).toContain('READ_ONLY');
        expect([vault.read('c.md'), vault.read('d.md')]).toEqual(['C\n', 'D\n']);
      });
    }));

  it('F34 one property of a file with comments, quotes, odd scalars, tabs, CRLF and no final newline: one line differs', async () => {
    const lines = [
      '---',
      '# kept',
      "title: 'it''s'  # why",
      'zip: 0123',
      'at: 12:30',
      'status: old',
      'list: [ a,  "b" ]',
      '---',
      '\tcode',
      'end',
    ];
    for (const eol of ['\n', '\r\n']) {
      await withVault({ 'a.md': lines.join(eol) }, (vault) =>
        withServer(vault, async ({ ask }) => {
          await ask('update_node', { id: 'a.md', properties: { status: 'new' } });
          const now = vault.read('a.md').split(eol);
          const rest = now.filter((line) => !/^(?:rev|updated_at): /.test(line));
          expect(rest).toEqual(lines.map((line) => (line === 'status: old' ? 'status: new' : line)));
        }),
      );
    }
  });

  it('F35 malformed YAML and a note that starts with a rule are readable, their properties are not edited; a body that starts with ---js is stored inert', () =>
    withVault({ 'broken.md': '---\na: [1\nb: "x\n---\nBody of the broken.\n', 'rule.md': '---\nA rule, then text.\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        expect(JSON.stringify(await ask('get_node', { id: 'broken.md' }))).toContain('Body of the broken.');
        expect(JSON.stringify(await ask('get_node', { id: 'rule.md' }))).toContain('A rule, then text.');
        const before = vault.read('broken.md');
        expect(JSON.stringify(await refuse('update_node', { id: 'broken.md', properties: { a: 2 } }))).toContain('INVALID_FRONTMATTER');
        expect(vault.read('broken.md')).toBe(before);
        const body = '---js\nprocess.exit(3)\n---\nText\n';
        const made = await ask('create_node', { title: 'Inert', content: body });
        const path = vault.files().find((file) => /inert/i.test(file)) ?? '';
        expect(vault.read(path).endsWith(body)).toBe(true);
        await ask('update_node', { id: made.id, properties: { seen: true } });
        expect(vault.read(path).endsWith(body)).toBe(true);
        expect(JSON.stringify(await ask('get_node', { id: made.id }))).toContain('process.exit(3)');
      }),
    ));
});

/** A small file system of its own, or null where this user may not mount one. */
function mountSmall(): { root: string; unmount(): void } | null {
  if (process.platform !== 'linux') return null;
  const root = mkdtempSync(join(tmpdir(), 'roux-full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', root], { stdio: 'ignore' });
  } catch {
    rmdirSync(root);
    return null;
  }
  return {
    root,
    unmount() {
      execFileSync('umount', ['-l', root], { stdio: 'ignore' });
      rmdirSync(root);
    },
  };
}

const probe = mountSmall();
probe?.unmount();

describe.skipIf(probe === null)('on a disk that is really full', () => {
  it('F06 a write is NO_SPACE, the old note is there byte for byte, nothing is left over, and with room again the next one works', async () => {
    const small = mountSmall();
    if (small === null) throw new Error('mount');
    try {
      const note = join(small.root, 'a.md');
      writeFileSync(note, `Old ${'x'.repeat(100_000)}\n`);
      await withServer({ root: small.root }, async ({ ask, refuse }) => {
        await ask('update_node', { id: 'a.md', properties: { x: 1 } });
        for (let offset: number | undefined = 0; offset !== undefined;)
          ({ next_offset: offset } = await ask('get_node', { id: 'a.md', offset }));
        const before = statSync(note);
        const filler = join(small.root, 'filler.bin');
        // A hundred kilobytes stay free: less than the new text, more than what surrounds it.
        const { bavail, bsize } = statfsSync(small.root);
        writeFileSync(filler, Buffer.alloc(bavail * bsize - 100_000));
        const error = JSON.stringify(await refuse('update_node', { id: 'a.md', content: 'y'.repeat(200_000) }));
        expect(error).toContain('NO_SPACE');
        expect(statSync(note)).toMatchObject({ ino: before.ino, size: before.size, mtimeMs: before.mtimeMs });
        expect([...readdirSync(join(small.root, '.roux/journal')), ...readdirSync(join(small.root, '.roux/tmp'))]).toEqual([]);
        writeFileSync(filler, '');
        await ask('update_node', { id: 'a.md', content: 'y'.repeat(200_000) });
        expect(statSync(note).size).toBeGreaterThan(200_000);
      });
    } finally {
      small.unmount();
    }
  });
});
