import { describe, expect, it } from 'vitest';
import type { EmbedderSource } from '../../../src/ports.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { identityOf, thisProcess } from '../../../src/store/folder/process-identity.ts';
import { createOrigin } from '../../../src/store/origin.ts';
import { openCacheFiles } from '../../../src/store/records/cache-files.ts';
import { systemPorts } from '../../../src/system/system-ports.ts';
import { createLease } from '../../../src/vault/embeddings/lease.ts';
import type { CountedVault } from '../../../src/vault/open-vault.ts';
import { choiceOf, hashingEmbedder } from '../../support/meaning/hashing-embedder.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const notes = {
  'soup.md': 'Onion soup needs patience.\n',
  'roof.md': `${'filler words at the beginning '.repeat(60)}\n\n# Late\n\nThe roof of the greenhouse leaks in every storm of the autumn.\n`,
};

const open = <T>(root: string, source: EmbedderSource, run: (vault: CountedVault) => Promise<T>, delayMs = 0): Promise<T> =>
  withOpen(root, run, { embedding: { ...choiceOf(source), delayMs } });

/** Background embedding does not begin while a test runs. */
const NEVER = 1e8;

const exported = (): Promise<Buffer> =>
  withVault(notes, (files) =>
    open(files.root, hashingEmbedder(), async (vault) => {
      await waitFor(() => vault.search.embeddings.status().waiting === 0 && vault.search.embeddings.status().notes.embedded === 2);
      return (await vault.cache.exportVectors()).bytes;
    }),
  );

/** Changes the header of a file. */
function withHead(file: Buffer, change: (head: Record<string, unknown>) => void): Buffer {
  const end = file.indexOf(0x0a);
  const head = JSON.parse(file.toString('utf8', 0, end)) as Record<string, unknown>;
  change(head);
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), file.subarray(end + 1)]);
}

describe('R-08 vectors that travel', () => {
  it('are used for the same texts elsewhere, so that nothing is embedded again, and are kept', async () => {
    const file = await exported();
    expect(file.toString('latin1')).not.toMatch(/soup|roof|greenhouse/);
    await withVault({ ...notes, 'other.md': 'Something of its own.\n' }, async (files) => {
      const source = hashingEmbedder();
      await open(
        files.root,
        source,
        async (vault) => {
          const { vectors, added } = await vault.cache.importVectors(file);
          expect([vectors, added]).toEqual([vectors, vectors]);
          expect(vectors).toBeGreaterThan(2);
          expect(await vault.cache.importVectors(file)).toEqual({ vectors, added: 0 });
          expect(vault.search.embeddings.status().notes).toEqual({ embedded: 2, all: 3 });
          expect(vault.search.embeddings.scoreNotes((await vault.search.embeddings.embedQuery('onion soup'))!)).toHaveLength(2);
        },
        NEVER,
      );
      await open(files.root, source, async (vault) => {
        await waitFor(() => vault.search.embeddings.status().notes.embedded === 3);
        expect(source.passages).toEqual([expect.stringContaining('Something of its own.')]);
      });
    });
  });

  it('are refused as a whole where they are of another model, damaged or too many', async () => {
    const file = await exported();
    const tooMany = Array.from({ length: 150_001 }, (_, at) => String(at).padStart(22, '0'));
    const cases: readonly (readonly [Buffer, { readonly code: string; readonly message: RegExp }])[] = [
      [withHead(file, (head) => (head['id'] = 'another')), { code: 'INVALID_PARAMS', message: /another model/ }],
      [withHead(file, (head) => (head['dims'] = 1e9)), { code: 'INVALID_PARAMS', message: /damaged/ }],
      [withHead(file, (head) => (head['keys'] = ['../x'])), { code: 'INVALID_PARAMS', message: /damaged/ }],
      [file.subarray(0, -1), { code: 'INVALID_PARAMS', message: /damaged/ }],
      [
        Buffer.concat([file.subarray(0, -4), Buffer.from(Float32Array.of(Number.NaN).buffer)]),
        { code: 'INVALID_PARAMS', message: /damaged/ },
      ],
      [Buffer.concat([file.subarray(0, -4), Buffer.from(Float32Array.of(9).buffer)]), { code: 'INVALID_PARAMS', message: /damaged/ }],
      [Buffer.from('{}'), { code: 'INVALID_PARAMS', message: /damaged/ }],
      [Buffer.alloc(0), { code: 'INVALID_PARAMS', message: /damaged/ }],
      [
        Buffer.concat([
          Buffer.from(`${JSON.stringify({ format: 'roux-vectors-1', id: 'hashing', dims: 1, keys: tooMany, documents: [] })}\n`),
          Buffer.from(new Float32Array(tooMany.length).fill(1).buffer),
        ]),
        { code: 'TOO_LARGE', message: /at most 150000/ },
      ],
    ];
    await withVault(notes, (files) =>
      open(
        files.root,
        hashingEmbedder(),
        async (vault) => {
          for (const [bytes, { code, message }] of cases)
            await expect(vault.cache.importVectors(bytes)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
          expect(vault.search.embeddings.status().embedded).toBe(0);
          await expect(vault.cache.exportVectors()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
          // A new model may have another length, and no vector yet.
          await vault.cache.importVectors(file);
          await expect(
            vault.cache.importVectors(
              Buffer.concat([
                Buffer.from(`${JSON.stringify({ format: 'roux-vectors-1', id: 'hashing', dims: 1, keys: [tooMany[0]], documents: [] })}\n`),
                Buffer.from(Float32Array.of(1).buffer),
              ]),
            ),
          ).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
        },
        NEVER,
      ),
    );
  });

  it('are not imported beside another process that embeds', async () => {
    const file = await exported();
    await withVault(notes, async (files) => {
      const [system, ports] = [openNodeFileSystem(files.root), systemPorts('error')];
      const cache = openCacheFiles(system, createOrigin(system, ports), { newId: () => ports.newId(), onFailure: () => undefined });
      // The parent of this process runs as long as this one does.
      const other = identityOf({ ...thisProcess().record, pid: process.ppid, start: null });
      expect(await createLease(cache, other, ports.clock).tryAcquire()).toBe(true);
      await open(
        files.root,
        hashingEmbedder(),
        async (vault) => {
          await expect(vault.cache.importVectors(file)).rejects.toMatchObject({ code: 'CONFLICT', retryable: true });
          expect(vault.search.embeddings.status().embedded).toBe(0);
        },
        NEVER,
      );
    });
  });
});
