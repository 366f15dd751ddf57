import { chmodSync } from 'node:fs';
import { delimiter } from 'node:path';
import { expect, it } from 'vitest';
import { withOutside } from '../../../support/outside.ts';
import { cliProcess } from '../../../support/program/cli.ts';
import { withMcp } from '../../../support/program/mcp-client.ts';
import { openTestVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';

it('R-09 the text of pictures is found where the user names a command, and a vault may name none', () =>
  withOutside({ 'sign.png': 'granite quarry', 'bad.png': 'fail' }, async (vault, outside) => {
    const tools = openTestVault(outside.root);
    tools.write('see', '#!/bin/sh\nif [ "$(cat "$1")" = fail ]; then exit 1; fi\ncat "$1"\n');
    chmodSync(tools.path('see'), 0o755);
    const env = { PATH: [outside.root, process.env['PATH']].join(delimiter), ROUX_OCR_COMMAND: 'see,{file}' };
    await withMcp(
      vault,
      async (session) => {
        await waitFor(async () =>
          (await session.ask('vault_health', {})).files.startsWith('PDFs and pictures: 1 searched; 1 could not be read'),
        );
        const { texts } = await session.call('search', { query: 'quarry' });
        expect(texts.flatMap((text) => (JSON.parse(text) as { files?: unknown[] }).files ?? [])).toMatchObject([
          { path: 'sign.png', link: '![[sign.png]]', snippet: 'granite quarry' },
        ]);
      },
      { env, flags: ['--toolsets', 'all'] },
    );
    const asked = await cliProcess(['search', 'quarry', '--vault', vault.root], { env });
    expect(asked.stdout).toBe('sign.png  sign.png\n  granite quarry\n');

    vault.write('.rouxrc.json', '{"ocr":{"command":["see","{file}"]}}');
    const refused = await cliProcess(['search', 'quarry', '--vault', vault.root]);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('"ocr.command" may not be set by a vault') });
  }));
