import { TOOLSET_NAMES } from '../../../ops/toolsets.ts';
import { defineOptions } from '../options.ts';

/** The options of `mcp` and `serve` that select which tools are offered. */
export const TOOL_OPTIONS = defineOptions({
  toolsets: { type: 'string', value: 'a,b', help: TOOLSET_NAMES.join(', '), setting: 'toolsets', completes: TOOLSET_NAMES },
  tools: { type: 'string', value: 'a,b', help: 'only these tools, by name', setting: 'tools' },
  'read-only': { type: 'boolean', help: 'no tool writes', setting: 'readOnly' },
  structured: { type: 'boolean', help: 'answers also as structuredContent, for clients that run code', setting: 'structured' },
  agent: { type: 'string', value: 'NAME', help: 'who writes, in the history', setting: 'agent' },
});

/** The options of `mcp`. */
export const MCP_OPTIONS = defineOptions({
  alone: { type: 'boolean', help: 'share the vault with no other process of yours: open it here, and serve nobody else' },
  ...TOOL_OPTIONS,
});
