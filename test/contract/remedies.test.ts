import { expect, it } from 'vitest';
import { withServer } from '../support/program/mcp-server.ts';
import { withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

it('S2-22 S2-30 a link by the title or a former title of a note is answered with the link that works', () =>
  withVault({ 'a-slug.md': 'x\n' }, (vault) =>
    withServer(vault, async ({ ask }) => {
      await ask('create_node', { title: 'Sesame Oil', content: 'x' });
      const made = await ask('create_node', { title: 'Pad Thai', content: 'Take [[Sesame Oil]] and [[Love]].' });
      expect(made._warnings).toEqual(['Broken link: [[Sesame Oil]]; write [[sesame-oil|Sesame Oil]]', 'Broken link: [[Love]]']);
      const mended = await ask('update_node', { id: made.id, content: 'Take [[sesame-oil|Sesame Oil]].', include_content: true });
      expect(mended).toMatchObject({ links: [{ id: 'sesame-oil.md', title: 'Sesame Oil' }] });
      await ask('update_node', { id: 'a-slug', title: 'A Title' });
      expect((await ask('create_node', { title: 'Late', content: '[[a-slug]]' }))._warnings).toEqual([
        'Broken link: [[a-slug]]; write [[a-title|a-slug]]',
      ]);
    }),
  ));

it('a text that no file can hold is refused and not saved as something else', () =>
  withVault({ 'a.md': 'x\n' }, (vault) =>
    withServer(vault, async ({ ask, refuse }) => {
      const half = 'cut \ud83d';
      const { error } = await refuse('create_node', { title: 'New', content: half });
      expect(error).toMatchObject({ code: 'INVALID_PARAMS' });
      expect(error.message).toContain('content contains half of a character');
      expect((await refuse('update_node', { id: 'a', tags: ['ok', half] })).error.message).toContain('tags[1] contains');
      expect((await refuse('update_node', { id: 'a', properties: { [half]: 1 } })).error.message).toContain('properties contains');
      expect(await refuse('create_entities', { entities: [{ name: 'E', entityType: 't', observations: [half] }] })).toContain(
        'entities[0].observations[0] contains',
      );
      expect(vault.files()).toEqual(['a.md']);
      expect(vault.read('a.md')).toBe('x\n');
      expect((await ask('create_node', { include_content: true, title: 'New', content: 'whole \ud83d\ude80' })).content).toBe(
        'whole \ud83d\ude80',
      );
    }),
  ));

it('errors say what is wrong in words, and what to do', () =>
  withVault({ 'a.md': 'x\n' }, (vault) =>
    withServer(vault, async ({ refuse }) => {
      const message = async (tool: string, args: Record<string, unknown>): Promise<string> => (await refuse(tool, args)).error.message;
      expect(await message('update_node', { id: 'a', properties: { '': 1 } })).toContain('a name has 1 to 200 characters');
      expect(await message('create_node', { title: 'x', content: '', directory: '/etc' })).toContain('it is not relative to the vault');
      expect(await message('create_node', { title: 'x', content: '', directory: 'a//b' })).toContain('it has two slashes in a row');
      expect(await message('create_node', { title: 'x', content: 'x'.repeat(10 * 1024 * 1024 + 1) })).toContain('Split it');
    }),
  ));

it('no answer is filled with warnings: the first are told, then how many more there are', () =>
  withVault(
    {
      'index.md': Array.from({ length: 100 }, (_, n) => `[[Unwritten ${n}]]\n`).join(''),
      'hub.md': 'x\n',
      ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`n${n}.md`, '[[hub]]\n'])),
    },
    (vault) =>
      withServer(vault, async ({ ask }) => {
        const told: string[] = [];
        for (const count of [31, 31, 31, 10]) {
          const { _warnings } = await ask('get_node', { id: 'index' });
          expect(_warnings).toHaveLength(count);
          told.push(..._warnings.filter((warning: string) => warning.startsWith('Broken link')));
        }
        expect(new Set(told).size).toBe(100);
        expect(await ask('get_node', { id: 'index' })).not.toHaveProperty('_warnings');
        const { deleted, _warnings } = await ask('delete_node', { id: 'hub' });
        expect(deleted).toBe(true);
        expect(_warnings).toHaveLength(21);
        expect(_warnings[20]).toContain('40 more like these');
      }),
  ));

it('structured content is no longer than the text beside it', () =>
  withVault({}, (vault) =>
    withServer(vault, async ({ call }) => {
      const entities = Array.from({ length: 100 }, (_, n) => ({ name: `E${n}`, entityType: 't', observations: ['o'.repeat(2000)] }));
      const made = await call('create_entities', { entities });
      expect(JSON.stringify(made.structured).length).toBeLessThan(40_000);
    }),
  ));

it('search goes on where its answer ended', () =>
  withVault(
    Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`n${n}.md`, `---\np: ${'v'.repeat(9000)}\nq: ${'w'.repeat(9000)}\n---\nword ${n}\n`]),
    ),
    (vault) =>
      withServer(vault, async ({ call, host }) => {
        // Notes are found before the index is there, in another order.
        await waitFor(async () => (await host.state()).search === 'ready', { what: 'the index' });
        const seen = new Set<string>();
        for (let offset = 0; ;) {
          const { value, texts } = await call('search', { query: 'word', limit: 50, offset });
          for (const { id } of value as readonly { id: string }[]) seen.add(id);
          const next = /Use offset (\d+) for more/.exec(texts[1] ?? '')?.[1];
          if (next === undefined) break;
          expect(Number(next)).toBe(offset + value.length);
          offset = Number(next);
        }
        expect(seen.size).toBe(60);
      }),
  ));

it('a write to a vault whose folder is gone says so, does not make it anew, and works once it is back', () =>
  withVault({ 'a.md': 'x\n' }, (vault) =>
    withServer(vault, async ({ ask, refuse }) => {
      await ask('get_node', { id: 'a' });
      vault.remove('.');
      const { error } = await refuse('create_node', { title: 'n', content: 'c' });
      expect(error.code).toBe('VAULT_NOT_FOUND');
      expect(error.message).toContain('Look whether the vault is still there');
      expect(vault.exists('.')).toBe(false);
      vault.write('b.md', 'back\n');
      expect((await ask('create_node', { title: 'n', content: 'c' })).path).toBe('n.md');
    }),
  ));
