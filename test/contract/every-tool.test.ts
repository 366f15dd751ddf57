import { describe, expect, it } from 'vitest';
import { TOOLSETS } from '../../src/ops/toolsets.ts';
import { WORK } from '../support/program/days-work.ts';
import { withMcp } from '../support/program/mcp-client.ts';
import { withVault } from '../support/vault.ts';

describe('the built program over stdio', () => {
  it.each(TOOLSETS)('answers every tool of the toolset %s, and the files say the same', (toolset) =>
    withVault(WORK[toolset].notes, (vault) =>
      withMcp(
        vault,
        async ({ client, ask }) => {
          const called = new Set<string>();
          await WORK[toolset].calls((tool, args) => {
            called.add(tool);
            return ask(tool, args);
          }, vault);
          const offered = (await client.listTools()).tools.map(({ name }) => name);
          expect([...called].toSorted()).toEqual(offered);
        },
        { flags: ['--toolsets', toolset] },
      ),
    ),
  );
});
