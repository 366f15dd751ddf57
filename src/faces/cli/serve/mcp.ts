import { chooseToolsets, TOOLSET_NAMES } from '../../../ops/toolsets.ts';
import { defineCommand, defineOptions, DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';

/** Options that decide which tools are offered, for `mcp` and `serve`. */
export const TOOL_OPTIONS = defineOptions({
  toolsets: { type: 'string', value: 'a,b', help: TOOLSET_NAMES.join(', '), setting: 'toolsets', completes: TOOLSET_NAMES },
  tools: { type: 'string', value: 'a,b', help: 'only these tools, by name', setting: 'tools' },
  'read-only': { type: 'boolean', help: 'no tool writes', setting: 'readOnly' },
  agent: { type: 'string', value: 'NAME', help: 'who writes, in the history', setting: 'agent' },
});

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
  options: TOOL_OPTIONS,
  async run(context) {
    await requireTools(context);
    const { serveStdio } = await import('../../stdio/serve-stdio.ts');
    await serveStdio(context.host);
    return DONE;
  },
});
