import { chooseToolsets } from '../../../ops/toolsets.ts';
import { visibleLine } from '../../../terminal-text.ts';
import type { Host } from '../../host.ts';
import { defineCommand, DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { MCP_OPTIONS, SEVERAL_DETAILS } from './tool-options.ts';

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
  details: SEVERAL_DETAILS,
  group: 'serve',
  takesVault: true,
  takesVaults: true,
  isFollowing: true,
  // If another process serves the vault, messages are forwarded to it before this module is even loaded (src/relay.ts).
  options: MCP_OPTIONS,
  async run(context) {
    const hosts = [context.host, ...context.others] as const;
    for (const host of hosts) await requireTools({ host });
    if (context.others.length > 0) await tellNames(context, hosts);
    const { serveStdio } = await import('../../stdio/serve-stdio.ts');
    await serveStdio(hosts, context.program.client);
    return DONE;
  },
});

/** Tells in the client's log which vault has which name. */
async function tellNames({ note }: CommandContext, hosts: readonly Host[]): Promise<void> {
  const { nameVaults } = await import('../../vault-names.ts');
  const names = nameVaults(hosts.map(({ root }) => root));
  for (const [at, { root }] of hosts.entries()) note(`roux: the vault "${visibleLine(names[at] ?? '')}" is ${visibleLine(root)}`);
}
