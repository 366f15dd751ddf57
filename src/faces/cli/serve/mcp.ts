import { chooseToolsets } from '../../../ops/toolsets.ts';
import { defineCommand, DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { MCP_OPTIONS } from './tool-options.ts';

/** Throws if the settings choose an unknown tool or no tool at all, before anything is served. */
export async function requireTools({ host }: Pick<CommandContext, 'host'>): Promise<void> {
  chooseToolsets(host.config);
  // Tool names can only be checked when the operations are loaded; toolset names need nothing.
  if (host.config.tools !== undefined) await host.operations();
}

/** `roux mcp`: serves MCP over stdio. */
export const mcp = defineCommand({
  name: 'mcp',
  summary: 'serve MCP over stdio, as a client starts it',
  group: 'serve',
  takesVault: true,
  isFollowing: true,
  // If another process serves the vault, messages are forwarded to it before this module is even loaded (src/relay.ts).
  options: MCP_OPTIONS,
  async run(context) {
    await requireTools(context);
    const { serveStdio } = await import('../../stdio/serve-stdio.ts');
    await serveStdio(context.host, context.program.client);
    return DONE;
  },
});
