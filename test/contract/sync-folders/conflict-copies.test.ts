import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const long = (words: string): string => `${Array.from({ length: 40 }, (_, n) => `${words} ${n}`).join(' ')}\n`;
const TASK = '---\nid: n_01k0000000000000000000000a\ntype: note\n---\n# Plan\nWalls.\n';

it('O-10 doctor and vault_health tell copies that sync services made of a conflict, and notes of their own not', () =>
  withVault(
    {
      'Note.md': long('brick'),
      'Note 2.md': long('brick').replace('brick 7', 'stone'),
      'Note-DESKTOP-4F2K1Q.md': long('brick'),
      "Note (ADA's conflicted copy 2026-01-02).md": 'another text\n',
      'Note.sync-conflict-20260102-030405-ABCDEFG.md': 'x\n',
      'Gone (conflicted copy 2026-01-02 030405).md': 'x\n',
      'auth.md': long('token'),
      'auth-flow.md': long('diagram'),
      'Chapter.md': long('one'),
      'Chapter 2.md': long('two'),
      '2026.md': 'A year.\n',
      '2026-01.md': 'A month.\n',
      'Lonely 3.md': 'x\n',
      'Plan.md': TASK,
      'Plan (1).md': TASK.replace('Walls', 'Windows'),
    },
    (vault) =>
      withServer(vault, async ({ ask }) => {
        const { findings } = await ask('vault_health', { kinds: ['conflict-copy'] });
        expect(Object.fromEntries(findings.map(({ paths, message }: { paths: string[]; message: string }) => [paths[0], message]))).toEqual(
          {
            "Note (ADA's conflicted copy 2026-01-02).md": expect.stringMatching(
              / is a conflict copy of Note\.md \(Dropbox.*compare the two/,
            ),
            'Note.sync-conflict-20260102-030405-ABCDEFG.md': expect.stringContaining(' is a conflict copy of Note.md (Syncthing'),
            'Gone (conflicted copy 2026-01-02 030405).md': expect.stringContaining('Gone.md, which is not there; rename it'),
            'Note 2.md': expect.stringContaining('may be a conflict copy that iCloud Drive made of Note.md'),
            'Note-DESKTOP-4F2K1Q.md': expect.stringContaining('may be a conflict copy that OneDrive made of Note.md'),
            'Plan (1).md': expect.stringContaining('may be a conflict copy that Google Drive made of Plan.md'),
          },
        );
        const ids = await ask('vault_health', { kinds: ['duplicate-id'] });
        expect(ids.findings).toMatchObject([{ message: expect.stringContaining('may be two versions of one note; merge them') as string }]);
        // Nothing gives the copy an id of its own, which would make two notes of one.
        const before = vault.files().map((path) => vault.read(path));
        const fixed = await cli(['doctor', '--vault', vault.root, '--fix']);
        expect(fixed.stdout).toContain('Plan (1).md');
        expect(vault.files().map((path) => vault.read(path))).toEqual(before);
      }),
  ));
