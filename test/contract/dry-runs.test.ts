import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/ops/all.ts';
import { TOOLSETS } from '../../src/ops/toolsets.ts';
import { WORK } from '../support/program/days-work.ts';
import { withHttp } from '../support/program/http-server.ts';
import { cli } from '../support/program/cli.ts';
import { withServer } from '../support/program/mcp-server.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';

const WRITING = new Set(allOperations.filter(({ effect }) => effect !== 'read').map(({ name }) => name));

/** Every file below the vault with its content, but what only a running process keeps. */
function everything(vault: TestVault): Readonly<Record<string, string>> {
  const files = readdirSync(vault.root, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [relative(vault.root, join(entry.parentPath, entry.name))] : [],
  );
  const lasting = files.filter((path) => !/^\.roux\/(?:cache|run|tmp|lock|\.git)/.test(path));
  return Object.fromEntries(lasting.map((path) => [path, readFileSync(join(vault.root, path), 'utf8')]));
}

const isSame = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

describe('H-18 a call that is only tried', () => {
  it.each(TOOLSETS)('H-18 every writing tool of the toolset %s answers dry_run with a diff and writes nothing, or refuses it', (toolset) =>
    withVault(WORK[toolset].notes, (vault) =>
      withServer(
        vault,
        async ({ ask, call }) => {
          const refused = new Set<string>();
          const honoured = new Set<string>();
          const problems: string[] = [];
          await WORK[toolset].calls(async (tool, args = {}) => {
            if (WRITING.has(tool)) {
              const before = everything(vault);
              // The tools of the knowledge graph take their arguments in `input`, and write in the background.
              const isWrapped = typeof args['input'] === 'object';
              const { isError, value, texts } = await call(
                tool,
                isWrapped ? { input: { ...(args['input'] as object), dry_run: true } } : { ...args, dry_run: true },
              );
              if (!isWrapped && !isSame(before, everything(vault))) problems.push(`${tool} wrote: ${texts.join()}`);
              if (isError && !texts.join().includes('dry_run')) problems.push(`${tool} failed: ${texts.join()}`);
              (isError ? refused : honoured).add(tool);
              const isTried = isError || isWrapped || (typeof value === 'object' && value !== null && 'dry_run' in value);
              const answer: unknown = await ask(tool, args);
              // The own answer of a tool stands for a call that comes to no write.
              if (!isTried && !isSame(before, everything(vault))) problems.push(`${tool} did not say that it writes: ${texts.join()}`);
              return answer;
            }
            return ask(tool, args);
          }, vault);
          expect(problems).toEqual([]);
          const offered = allOperations.filter((operation) => operation.toolset === toolset && WRITING.has(operation.name));
          expect(new Set([...refused, ...honoured])).toEqual(new Set(offered.map(({ name }) => name)));
          expect([...refused].filter((tool) => !tool.startsWith('kg_'))).toEqual([]);
        },
        { flags: ['--toolsets', toolset] },
      ),
    ),
  );

  it('H-18 the diff is that of the whole write; what was tried can be done, and under the same key', () =>
    withVault({ 'a.md': '---\nmood: good\n---\nSee [[b]].\n', 'b.md': 'Bee\n' }, (vault) =>
      withServer(vault, async ({ ask, call }) => {
        const before = everything(vault);
        const key = { idempotency_key: 'k1' };
        const renamed = await ask('update_node', { id: 'b', title: 'Sea', append: 'more', dry_run: true, ...key });
        expect(renamed.diff).toContain('+See [[sea]].');
        expect(renamed.diff).toContain('+more');
        const gone = await ask('delete_node', { id: 'b', dry_run: 'true' });
        expect(gone.diff).toContain('-Bee');
        expect(gone._warnings.join()).toContain('a.md');
        expect((await ask('create_node', { title: 'New', content: 'text', dry_run: true })).diff).toContain('+text');
        const { value, structured } = await call('create_entities', {
          entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }],
          dry_run: true,
        });
        expect(value.diff).toContain('+- likes tea');
        expect(structured).toEqual(value);
        expect(await ask('delete_node', { id: 'none', dry_run: true })).toEqual({ deleted: false });
        expect(everything(vault)).toEqual(before);
        expect((await ask('update_node', { id: 'b', title: 'Sea', append: 'more', dry_run: false, ...key })).path).toBe('sea.md');
        expect(vault.read('a.md')).toContain('See [[sea]].');
      }),
    ));

  it('H-18 what is no boolean is refused, and a long diff is cut and says so', () =>
    withVault({ 'a.md': 'line of text\n'.repeat(4_000) }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        for (const value of ['yes', 1, null, {}])
          expect((await refuse('delete_node', { id: 'a', dry_run: value })).error.message).toBe(
            'delete_node: dry_run must be true or false.',
          );
        const { diff } = await ask('update_node', { id: 'a', append: 'line of text\n'.repeat(4_000), dry_run: true });
        expect(diff.length).toBeLessThan(17_000);
        expect(diff).toMatch(/more characters of this diff are not shown\.\n$/);
        expect(vault.read('a.md')).toHaveLength(52_000);
      }),
    ));

  it('H-18 of a file that goes a tool shows the first ten lines, and the command line all', () => {
    const eleven = `-- b\n\\ c\n+++ /dev/null\n${'x\n'.repeat(7)}last`;
    return withVault({ 'a.md': 'A\n', 'b.md': eleven, 'c.md': 'no end', 'd.md': `${eleven}\n` }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const { diff } = await ask('merge_nodes', { sources: ['b', 'c', 'd'], target: 'a', dry_run: true });
        const shown = `@@ -1,11 +0,0 @@\n--- b\n-\\ c\n-+++ /dev/null\n${'-x\n'.repeat(7)}… 1 more lines of this file\n`;
        expect(diff).toContain(
          `--- a/b.md\n+++ /dev/null\n${shown}--- a/c.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-no end\n\\ No newline at end of file\n--- a/d.md\n`,
        );
        expect(diff.endsWith(`--- a/d.md\n+++ /dev/null\n${shown}`)).toBe(true);
        expect((await cli(['delete', 'b', '--dry-run', '--vault', vault.root])).stdout).toContain('-last');
      }),
    );
  });

  it('H-18 over HTTP', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withHttp(vault, [], async ({ url }) => {
        for (const [operation, args] of [
          ['update_node', { id: 'a', append: 'more' }],
          ['delete_node', { id: 'a' }],
        ] as const) {
          const response = await fetch(`${url}/api/${operation}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ ...args, dry_run: true }),
          });
          expect(await response.json(), operation).toMatchObject({ result: { dry_run: true } });
        }
        expect(vault.read('a.md')).toBe('A\n');
      }),
    ));
});
