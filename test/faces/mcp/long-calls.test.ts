import { describe, expect, it } from 'vitest';
import { withGitVault } from '../../support/git.ts';
import { CLIENTS } from '../../support/program/every-client.ts';
import { withVault } from '../../support/vault.ts';

describe('calls that take long', () => {
  for (const [who, withClient] of CLIENTS) {
    it(`${who}: is told how far a call is, where it asks for that, and always further`, () =>
      withVault(
        { 'hub.md': '', ...Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`n${index}.md`, 'to [[hub]]\n'])) },
        (vault) =>
          withClient(vault, async ({ call }) => {
            const steps: { readonly progress: number; readonly total?: number | undefined }[] = [];
            await call('rename', { changes: [{ from: 'hub', to: 'centre' }] }, { onprogress: (step) => void steps.push(step) });
            expect(vault.read('n149.md')).toBe('to [[centre]]\n');
            expect(steps.length).toBeGreaterThan(5);
            expect(steps.length).toBeLessThanOrEqual(102);
            const numbers = steps.map(({ progress }) => progress);
            expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
            expect(steps.at(-1)?.progress).toBe(steps.at(-1)?.total);
          }),
      ));

    it(`${who}: takes a write back before it is carried out, and nothing is written`, () =>
      withGitVault({ 'a.md': 'one\n' }, (vault) =>
        withClient(vault, async ({ ask, call }) => {
          await ask('get_node', { id: 'a' });
          // Writes wait while git is at work, which a lock that is old does not show.
          const lock = (): void => vault.write('.git/index.lock', '');
          lock();
          const held = setInterval(lock, 500);
          const taken = new AbortController();
          const written = call('update_node', { id: 'a', content: 'two\n' }, { signal: taken.signal }).catch((error: unknown) => error);
          await ask('get_node', { id: 'a' });
          taken.abort();
          expect(await written).toBeInstanceOf(Error);
          await ask('get_node', { id: 'a' });
          clearInterval(held);
          vault.remove('.git/index.lock');
          await ask('create_node', { title: 'b', content: '' });
          expect(vault.read('a.md')).toBe('one\n');
          expect(await ask('get_node', { id: 'a' })).toMatchObject({ content: 'one\n' });
        }),
      ));
  }
});
