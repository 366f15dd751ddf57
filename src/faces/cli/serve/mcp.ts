import { defineCommand, DONE } from '../command.ts';
import type { CommandOption } from '../command.ts';

/** Options that decide which tools are offered, for `mcp` and `serve`. */
export const TOOL_OPTIONS: Readonly<Record<string, CommandOption>> = {
  toolsets: { type: 'string', value: 'a,b', help: 'vault, tasks, memory, ontology, knowledge, admin; default, all', setting: 'toolsets' },
  tools: { type: 'string', value: 'a,b', help: 'only these tools, by name', setting: 'tools' },
  'read-only': { type: 'boolean', help: 'no tool writes', setting: 'readOnly' },
  agent: { type: 'string', value: 'NAME', help: 'who writes, in the history', setting: 'agent' },
};

/** MCP over stdio. */
export const mcp = defineCommand({
  name: 'mcp',
  summary: 'serve MCP over stdio, as a client starts it',
  usage: '[vault]',
  group: 'serve',
  arity: 0,
  isFollowing: true,
  options: TOOL_OPTIONS,
  async run({ config, host }) {
    // Only a list of tool names needs the tools to be known at once.
    if (config.tools !== undefined) await host.operations();
    const { serveStdio } = await import('../../stdio/serve-stdio.ts');
    await serveStdio(host);
    return DONE;
  },
});
