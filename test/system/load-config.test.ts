import { describe, expect, it } from 'vitest';
import { configSchema, parseConfig } from '../../src/config.ts';
import { loadConfig } from '../../src/system/settings-files/load-config.ts';
import { withVault } from '../support/vault.ts';

const load = (vaultRoot: string, env: Record<string, string> = {}, flags: Parameters<typeof loadConfig>[0]['flags'] = []) =>
  loadConfig({ vaultRoot, env: { XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'], ...env }, flags });

describe('configuration', () => {
  it('an empty vault gives the documented defaults', () =>
    withVault({}, ({ root }) => {
      expect(load(root)).toEqual(configSchema.parse({}));
    }));

  it('the file, then ROUX_* variables, then flags: later ones win, maps merge', () =>
    withVault(
      { '.rouxrc.json': '{"ids": "always", "tasks": {"root": "work", "claimTtlMinutes": 5}, "toolsets": ["vault"]}' },
      ({ root }) => {
        const config = load(
          root,
          { ROUX_AGENT: 'env', ROUX_TASKS_CLAIM_TTL_MINUTES: '7', ROUX_TOOLSETS: 'tasks, memory', ROUX_READ_ONLY: '1' },
          [{ source: '--agent', values: { agent: 'flag' } }],
        );
        expect(config).toMatchObject({ ids: 'always', agent: 'flag', toolsets: ['tasks', 'memory'], readOnly: true });
        expect(config.tasks).toMatchObject({ root: 'work', claimTtlMinutes: 7 });
      },
    ));

  it('an unknown key or a bad value is an error that names the place, the key and what is valid', () =>
    withVault({}, (vault) => {
      const failure = (text: string, env: Record<string, string> = {}): string => {
        vault.write('.rouxrc.json', text);
        try {
          load(vault.root, env);
        } catch (error) {
          return error instanceof Error ? error.message : '';
        }
        return 'nothing was wrong';
      };
      expect(failure('{"toolset": []}')).toMatch(
        /^\.rouxrc\.json: unknown key "toolset"; did you mean "toolsets"\? Valid keys: toolsets, tools/,
      );
      expect(failure('{"tasks": {"rooot": "x"}}')).toContain('unknown key "tasks.rooot"; did you mean "root"? Valid keys in "tasks": root');
      expect(failure('{"renameAlias": "some"}')).toContain('"renameAlias" is not valid');
      expect(failure('[]')).toContain('JSON object');
      expect(failure('{')).toContain('not valid JSON');
      expect(failure('{}', { ROUX_HTTP_PORT: '99999' })).toContain('ROUX_HTTP_PORT: "http.port" is not valid');
      expect(failure('{}', { ROUX_TOOLSTES: 'x' })).toContain('did you mean "ROUX_TOOLSETS"?');
    }));

  it('no folder in it can lead out of the vault', () => {
    for (const root of ['..', '../x', '/etc', 'a/../../x', '.git', 'a/.roux', 'C:\\x', '~', '', 'a//b']) {
      expect(() => parseConfig([{ source: 'test', values: { tasks: { root } } }]), root).toThrow('must be a folder inside the vault');
    }
    expect(parseConfig([{ source: 'test', values: { tasks: { root: 'Work/Big Projects' } } }]).tasks.root).toBe('Work/Big Projects');
  });

  it('new files are named as the vault names its own', async () => {
    const style = (files: Record<string, string>) => withVault(files, ({ root }) => load(root).filenames);
    expect(await style({ 'my-note.md': '', 'other-note.md': '', 'Big One.md': '' })).toBe('slug');
    expect(await style({ 'My Note.md': '', 'deep/Other Note.md': '', 'small.md': '' })).toBe('title');
    expect(await style({ 'my-note.md': '', '.obsidian/app.json': '{}' })).toBe('title');
    expect(await style({ 'My Note.md': '', '.rouxrc.json': '{"filenames": "slug"}' })).toBe('slug');
  });

  it("S3-30 the endpoint that reads facts is the user's: by variables, and a bad one is not repeated, as it may hold a password", () =>
    withVault({}, ({ root }) => {
      const variables = { ROUX_EXTRACT_URL: 'http://127.0.0.1:1234/v1', ROUX_EXTRACT_KEY: 'sk-1', ROUX_EXTRACT_MODEL: 'm' };
      const extract = { url: 'http://127.0.0.1:1234/v1', key: 'sk-1', model: 'm', timeoutSeconds: 120 };
      expect(load(root, variables).extract).toEqual(extract);
      for (const [name, value] of [
        ['ROUX_EXTRACT_URL', 'http://me:hunter2@127.0.0.1/v1'],
        ['ROUX_EXTRACT_URL', 'ftp://hunter2'],
        ['ROUX_EXTRACT_KEY', 'hunter2\n'],
        ['ROUX_EXTRACT_KEY', 'clé hunter2'],
      ] as const) {
        expect(() => load(root, { [name]: value })).toThrow(new RegExp(`^${name}: "extract`));
        expect(() => load(root, { [name]: value })).not.toThrow(/hunter2/);
      }
    }));
});
