import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli, cliProcess } from '../../support/program/cli.ts';
import { withOutside } from '../../support/outside.ts';

const ENTITY = '{"type":"entity","name":"Ada","entityType":"person","observations":["private"]}\n';

describe('export and import with a file in the vault', () => {
  it('go through no link that came with it, and wait for no FIFO; outside people name what they like', () =>
    withOutside({ 'a.md': 'A\n' }, async (vault, outside) => {
      writeFileSync(outside.path('private.jsonl'), ENTITY);
      symlinkSync(outside.path('private.jsonl'), outside.path('link.jsonl'));
      symlinkSync(outside.path('private.jsonl'), vault.path('memory.jsonl'));
      symlinkSync(outside.root, vault.path('folder'));
      spawnSync('mkfifo', [vault.path('fifo')]);
      const before = outside.look();
      // Whoever waits for a FIFO holds his process, so that the test could not tell of it.
      const run = (...args: readonly string[]) =>
        (args.includes('fifo') ? cliProcess : cli)(args, { cwd: vault.root, env: { ROUX_VAULT: vault.root } });
      for (const file of ['memory.jsonl', vault.path('memory.jsonl'), './folder/private.jsonl', 'folder/new.jsonl', 'fifo']) {
        for (const command of [
          ['import', file],
          ['export', '-o', file],
        ]) {
          const { status, stderr } = await run(...command);
          expect({ command, status }).toEqual({ command, status: 2 });
          expect(stderr).toMatch(/ is (a symbolic link|no regular file); name another file/);
        }
      }
      expect(outside.look()).toEqual(before);
      expect((await run('import', outside.path('link.jsonl'))).status).toBe(0);
      for (const file of ['out.jsonl', outside.path('link.jsonl')]) expect((await run('export', '-o', file)).status).toBe(0);
      expect(vault.read('out.jsonl')).toContain('Ada');
      expect((await run('export', '-o', 'out.jsonl')).status).toBe(0);
    }));
});
