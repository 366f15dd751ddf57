import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { createOrigin } from '../../../src/store/origin.ts';
import { openCacheFiles } from '../../../src/store/records/cache-files.ts';
import type { CacheFiles } from '../../../src/store/records/cache-files.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const HOUR_MS = 60 * 60 * 1000;
const PIECE = Buffer.alloc(100_000, 'heron ');

function withCache(use: (cache: CacheFiles, vault: TestVault) => Promise<void>): Promise<void> {
  return withVault({}, (vault) => {
    const [files, ports] = [openNodeFileSystem(vault.root), testPorts()];
    return use(openCacheFiles(files, createOrigin(files, ports), { newId: () => ports.newId(), onFailure: () => undefined }), vault);
  });
}

/** The files of the cache that are being written. */
function staged(vault: TestVault): string[] {
  return readdirSync(vault.path('.roux/cache')).filter((name) => name.startsWith('search.'));
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

describe('what the cache is given in pieces', () => {
  it('is written before more is asked for, in memory that may be used again', () =>
    withCache(async (cache, vault) => {
      const piece = Buffer.alloc(PIECE.length);
      const sizes: number[] = [];
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (const text of ['heron ', 'gull ', 'tern ']) {
          sizes.push(...staged(vault).map((name) => statSync(vault.path(`.roux/cache/${name}`)).size));
          yield piece.fill(text);
        }
      }
      await cache.save('search', pieces());
      const [first = 0, ...next] = sizes;
      expect(next).toEqual([first + PIECE.length, first + 2 * PIECE.length]);
      const whole = Buffer.concat(['heron ', 'gull ', 'tern '].map((text) => Buffer.alloc(PIECE.length, text)));
      expect(cache.load('search')?.equals(whole)).toBe(true);
      expect(staged(vault)).toEqual([]);
    }));

  it('is not kept if it ends with an error: what was there before stays', () =>
    withCache(async (cache, vault) => {
      await cache.save('search', [PIECE]);
      async function* pieces(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('gull');
        yield await Promise.reject<Uint8Array>(new Error('the notes changed'));
      }
      await expect(cache.save('search', pieces())).rejects.toThrow('the notes changed');
      expect(staged(vault)).toEqual([]);
      expect(cache.load('search')?.equals(PIECE)).toBe(true);
    }));

  it('leaves nothing of a process that ended while it wrote, and all of one that may be at it', () =>
    withCache(async (cache, vault) => {
      const [old, young, other] = [ulid(Date.now() - 2 * HOUR_MS), ulid(Date.now() - 60_000), ulid(Date.now() - 2 * HOUR_MS)];
      for (const name of [`search.${old}`, `search.${young}`, `notes.${other}`]) vault.write(`.roux/cache/${name.toLowerCase()}`, 'half');
      await cache.save('search', piecesOf(PIECE));
      expect(readdirSync(vault.path('.roux/cache'))).toEqual(['search', `search.${young}`.toLowerCase()]);
    }));

  it('is kept though what looks like a leftover cannot be removed', () =>
    withCache(async (cache, vault) => {
      vault.write(`.roux/cache/search.${ulid(Date.now() - 2 * HOUR_MS).toLowerCase()}/planted`, 'a folder');
      await cache.save('search', piecesOf(PIECE));
      expect(cache.load('search')?.equals(PIECE)).toBe(true);
    }));

  it('is no cache before it is whole', () =>
    withCache(async (cache, vault) => {
      const taken: (Buffer | null)[] = [];
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let left = 3; left > 0; left -= 1) {
          yield PIECE;
          copyFileSync(vault.path(`.roux/cache/${staged(vault)[0] ?? ''}`), vault.path('.roux/cache/search'));
          taken.push(cache.load('search'));
        }
      }
      await cache.save('search', pieces());
      expect(taken).toEqual([null, null, null]);
      expect(cache.load('search')).toHaveLength(3 * PIECE.length);
    }));
});
