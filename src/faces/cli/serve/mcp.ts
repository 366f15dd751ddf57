import { chooseToolsets } from '../../../ops/toolsets.ts';
import { defineCommand, DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { MCP_OPTIONS } from './tool-options.ts';

/** Refuses a choice of tools that leaves none, or that names one that there is not, before anything is served. */
export async function requireTools({ config, host }: Pick<CommandContext, 'config' | 'host'>): Promise<void> {
  chooseToolsets(config);
  // Only a list of tool names needs the tools to be known at once.
  if (config.tools !== undefined) await host.operations();
}

/** MCP over stdio. */
export const mcp = defineCommand({
  name: 'mcp',
  summary: 'serve MCP over stdio, as a client starts it',
  usage: '[vault]',
  group: 'serve',
  arity: 0,
  takesVault: true,
  isFollowing: true,
  // Where a server of the vault runs, the messages go to it before the program is loaded (src/relay.ts).
  options: MCP_OPTIONS,
  async run(context) {
    await requireTools(context);
    const { serveStdio } = await import('../../stdio/serve-stdio.ts');
    await serveStdio(context.host, context.client);
    return DONE;
  },
});
