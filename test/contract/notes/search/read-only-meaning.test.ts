import { expect, it } from 'vitest';
import { openEmbeddingServer } from '../../../support/meaning/embedding-server.ts';
import { lookAt } from '../../../support/outside.ts';
import { openMcp } from '../../../support/program/mcp-client.ts';
import { withVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';

it('R-06 a server that may not write searches by meaning too, and writes nothing', () =>
  withVault({ 'soup.md': 'Onion soup needs patience.\n', 'roof.md': 'The roof leaks.\n' }, async (vault) => {
    const [embedder, before] = [await openEmbeddingServer(), lookAt(vault.root)];
    const env = { ROUX_EMBEDDINGS: 'remote', ROUX_EMBED_URL: embedder.url, ROUX_EMBED_MODEL: 'hashes' };
    const session = await openMcp(vault, { flags: ['--read-only'], env });
    try {
      const found = await waitFor(
        async () => {
          const { value, texts } = await session.call('search', { query: 'patience onion', mode: 'semantic' });
          return texts[1]?.includes('Searched by semantic."') === true ? value : null;
        },
        { what: 'search by meaning' },
      );
      expect(found[0]).toMatchObject({ id: 'soup.md' });
    } finally {
      await session.close();
      embedder.close();
    }
    expect(lookAt(vault.root)).toEqual(before);
  }));
