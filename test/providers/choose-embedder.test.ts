import { describe, expect, it } from 'vitest';
import { configSchema, parseConfig } from '../../src/config.ts';
import { chooseEmbedder, findPreviousEmbedder } from '../../src/providers/choose-embedder.ts';
import { findMiniLm } from '../../src/providers/minilm/minilm.ts';
import { repositoryRoot } from '../support/vault.ts';

/** A folder in which nothing is installed. */
const elsewhere = `${repositoryRoot}/test`;
const settings = (values: object) => configSchema.parse(values);
const chosen = (values: object): unknown => {
  const source = chooseEmbedder(settings(values), elsewhere);
  return typeof source === 'string' ? source : source.name;
};
const url = 'http://127.0.0.1:11434/v1';
const local = findMiniLm(elsewhere)?.name ?? expect.stringContaining('are not installed');

describe('which embedder is chosen', () => {
  it('is the model on this machine, where nothing is said', () => {
    expect(chosen({})).toEqual(local);
    expect(chosen({ embeddings: 'local', embed: { url, model: 'm' } })).toEqual(local);
  });

  it('is the endpoint that the user names, and none without its model', () => {
    expect(chosen({ embed: { url, model: 'm' } })).toBe('m at 127.0.0.1:11434');
    expect(chosen({ embed: { url } })).toContain('ROUX_EMBED_MODEL');
    expect(chosen({ embeddings: 'remote' })).toContain('ROUX_EMBED_URL');
    expect(chosen({ embeddings: 'none', embed: { url, model: 'm' } })).toContain('turned off');
  });

  it('of before is one that the settings still name: no other endpoint is asked because the cache says so', () => {
    const source = chooseEmbedder(settings({ embed: { url, model: 'm' } }), elsewhere);
    const id = typeof source === 'string' ? '' : source.id;
    expect(findPreviousEmbedder(settings({ embeddings: 'local', embed: { url, model: 'm' } }), elsewhere, id)?.isRemote).toBe(true);
    expect(findPreviousEmbedder(settings({}), elsewhere, id)).toBeNull();
    expect(findPreviousEmbedder(settings({}), elsewhere, 'https://evil.example/v1 m')).toBeNull();
  });

  it('a base URL is one of http or https, without a password in it', () => {
    for (const bad of ['ftp://x/v1', 'x', 'http://', 'http://user:secret@host/v1', 'file:///etc/passwd']) {
      const error = ((): unknown => {
        try {
          return parseConfig([{ source: 'ROUX_EMBED_URL', values: { embed: { url: bad } } }]);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(String(error), bad).toContain('must be an http or https URL');
      expect(String(error)).not.toContain('secret');
    }
  });
});
