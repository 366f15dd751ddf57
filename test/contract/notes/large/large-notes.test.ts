import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import { withMcp } from '../../../support/program/mcp-client.ts';
import type { McpProcess } from '../../../support/program/mcp-client.ts';
import { withVault } from '../../../support/vault.ts';
import type { TestVault } from '../../../support/vault.ts';

const preload = fileURLToPath(new URL('large-reads.mjs', import.meta.url));
const MEGABYTE = 1024 * 1024;
const NOTE_BYTES = 50 * MEGABYTE;

const head = '---\nid: huge-1\ntitle: Huge\n---\n\n# Huge\n\nSee [soil](soil.md) and [[tea]].\n\n';
const line = 'Ein Satz über Wörter, die niemand sucht, und [[tea]] dazwischen.\n';
const end = '\nThe very end.\n';

/** A note of 50 MB that links relatively, and others that link to it. */
function makeFiles(): Record<string, string | Buffer> {
  const lines = Buffer.from(line.repeat(Math.ceil(NOTE_BYTES / Buffer.byteLength(line))));
  return {
    'Huge.md': Buffer.concat([Buffer.from(head), lines, Buffer.from(end)]),
    'soil.md': 'Read [[Huge]] and [it](Huge.md).\n',
    'tea.md': 'Tea.\n',
  };
}

interface Reads {
  /** What was read in large pieces while a call ran. */
  during<T>(call: () => Promise<T>): Promise<{ readonly answer: T; readonly bytes: number; readonly largest: number }>;
}

/** Runs with a client of the built program whose large reads are counted. */
async function withLargeNote(run: (session: McpProcess, reads: Reads, vault: TestVault) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'roux-large-'));
  const report = join(folder, 'reads');
  writeFileSync(report, '');
  const reads: Reads = {
    async during(call) {
      writeFileSync(report, '');
      const answer = await call();
      const sizes = readFileSync(report, 'utf8').split('\n').filter(Boolean).map(Number);
      return { answer, bytes: sizes.reduce((sum, size) => sum + size, 0), largest: Math.max(0, ...sizes) };
    },
  };
  try {
    await withVault(makeFiles(), (vault) =>
      withMcp(vault, (session) => run(session, reads, vault), {
        preload,
        env: { TEST_LARGE_READS: report },
        flags: ['--toolsets', 'all'],
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('H-15 a note of 50 MB', () => {
  it('H-15 is never read at once, neither for the index nor for answers, and is served to its end', () =>
    withLargeNote(async ({ ask }, reads) => {
      const first = await reads.during(() => ask('get_node', { id: 'Huge' }));
      expect(first.answer).toMatchObject({ id: 'huge-1', title: 'Huge', next_offset: expect.any(Number) });
      expect(JSON.stringify(first.answer._warnings)).toContain('larger than 10 MB');
      const length = head.slice(head.indexOf('\n# ')).length + line.length * Math.ceil(NOTE_BYTES / Buffer.byteLength(line)) + end.length;
      const last = await reads.during(() => ask('get_node', { id: 'Huge', offset: length - end.length }));
      expect(last.answer.content).toBe(end);
      expect(last.answer).not.toHaveProperty('next_offset');
      const middle = await ask('get_node', { id: 'Huge', offset: length - 3 * line.length - end.length });
      expect(middle.content).toBe(line.repeat(3) + end);
      const found = await reads.during(() => ask('search', { query: 'Wörter' }));
      expect(JSON.stringify(found.answer)).toContain('huge-1');
      for (const { largest } of [first, last, found]) expect(largest).toBeLessThan(2 * MEGABYTE);
      for (const { bytes } of [first, found]) expect(bytes).toBeLessThan(8 * MEGABYTE);
      expect(await ask('get_node', { id: 'tea' })).toMatchObject({ content: 'Tea.\n' });
    }));

  it('H-15 is refused by its size where something would be written into it', () =>
    withLargeNote(async ({ refuse }, reads, vault) => {
      const before = hashOf(join(vault.root, 'Huge.md'));
      for (const args of [
        { id: 'Huge', content: 'x' },
        { id: 'Huge', properties: { a: 1 } },
        { id: 'Huge', tags: ['t'] },
      ]) {
        const { answer, bytes, largest } = await reads.during(() => refuse('update_node', args));
        expect(answer.error ?? answer).toMatchObject({ code: 'TOO_LARGE', message: expect.stringContaining('10485760') });
        // The beginning, by which it is looked up.
        expect({ args, isFew: bytes < 8 * MEGABYTE, largest }).toEqual({ args, isFew: true, largest: expect.any(Number) });
        expect(largest).toBeLessThan(2 * MEGABYTE);
      }
      expect(hashOf(join(vault.root, 'Huge.md'))).toBe(before);
    }));

  it('H-15 is moved and renamed without being read: links to it follow, its own stay, and the answer says so; undo brings it back', () =>
    withLargeNote(async ({ ask }, reads, vault) => {
      const before = hashOf(join(vault.root, 'Huge.md'));
      const { answer, bytes, largest } = await reads.during(() => ask('rename', { changes: [{ from: 'Huge', to: 'sub/Vast' }] }));
      expect(answer).toMatchObject({ renamed: [{ from: 'Huge.md', to: 'sub/Vast.md' }], links_rewritten_in: 1 });
      const said = JSON.stringify(answer._warnings);
      expect(said).toContain(
        'sub/Vast.md: it is too large to be written, so it was moved as it is: its own relative links, title and aliases stay',
      );
      expect(largest).toBeLessThan(2 * MEGABYTE);
      expect(bytes).toBeLessThan(12 * MEGABYTE);
      expect(hashOf(join(vault.root, 'sub/Vast.md'))).toBe(before);
      expect(vault.read('soil.md')).toBe('Read [[Vast]] and [it](Vast.md).\n');
      const undone = await cli(['undo', answer.batch, '--vault', vault.root]);
      expect(undone).toMatchObject({ status: 0 });
      expect(hashOf(join(vault.root, 'Huge.md'))).toBe(before);
      expect(vault.read('soil.md')).toBe('Read [[Huge]] and [it](Huge.md).\n');
    }));

  it('H-15 goes to the trash without being read', () =>
    withLargeNote(async ({ ask }, reads, vault) => {
      const before = hashOf(join(vault.root, 'Huge.md'));
      const { answer, largest } = await reads.during(() => ask('delete_node', { id: 'Huge' }));
      expect(answer).toMatchObject({ deleted: true });
      expect(largest).toBeLessThan(2 * MEGABYTE);
      expect(hashOf(join(vault.root, '.roux/trash', answer.batch, 'Huge.md'))).toBe(before);
    }));
});
