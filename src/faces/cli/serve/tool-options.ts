import { TOOLSET_NAMES } from '../../../ops/toolsets.ts';
import { defineOptions } from '../options.ts';

/** The options of `mcp` and `serve` that select which tools are offered. */
export const TOOL_OPTIONS = defineOptions({
  toolsets: { type: 'string', value: 'a,b', help: TOOLSET_NAMES.join(', '), setting: 'toolsets', completes: TOOLSET_NAMES },
  tools: { type: 'string', value: 'a,b', help: 'only these tools, by name', setting: 'tools' },
  'read-only': { type: 'boolean', help: 'no tool writes', setting: 'readOnly' },
  'write-folders': {
    type: 'string',
    value: 'a,b',
    help: 'only these folders are written: notes/agents or notes/agents/**, journal/* for what lies directly in it',
    setting: 'writes.folders',
    completes: 'place',
  },
  structured: { type: 'boolean', help: 'answers also as structuredContent, for clients that run code', setting: 'structured' },
  agent: { type: 'string', value: 'NAME', help: 'who writes, in the history', setting: 'agent' },
});

/** What the help of `mcp` and `serve` says of several vaults. */
export const SEVERAL_DETAILS: readonly string[] = [
  'Several vaults can be served together: each is named by its folder, with a number where two have one name. Over MCP a call then takes',
  'vault; over HTTP each vault is at /<name>/, with its own tokens.',
];

/** The options of `mcp`. */
export const MCP_OPTIONS = defineOptions({
  alone: { type: 'boolean', help: 'share the vault with no other process of yours: open it here, and serve nobody else' },
  ...TOOL_OPTIONS,
});
