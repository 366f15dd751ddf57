import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { IS_REQUIRED } from '../../../ops/arguments.ts';
import { defineRequest } from '../surface/request.ts';
import type { RequestContext, RequestKind } from '../surface/request.ts';
import { toToolError } from '../surface/tool-result.ts';
import type { Tool } from '../surface/tools.ts';
import { findJoined } from './joined-vault.ts';
import type { JoinedVault } from './joined-vault.ts';

/** Longer lists of names are left to the error for an unknown one. */
const MAX_LISTED_NAMES = 12;

const callParams = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });

/** Answers `tools/list` and `tools/call`: the tools of all vaults, each with the argument `vault`. */
export function toolRequests(vaults: readonly JoinedVault[]): readonly RequestKind[] {
  return [
    defineRequest({
      method: 'tools/list',
      params: z.object({}).optional(),
      answer: async (_, context) => ({ tools: await joinTools(vaults, context) }),
    }),
    defineRequest({
      method: 'tools/call',
      params: callParams,
      async answer({ name, arguments: { vault: given, ...args } = {}, ...params }, context) {
        try {
          const { surface } = given === undefined ? await findOnly(vaults, name) : findJoined(vaults, given);
          return await surface.answer('tools/call', { ...params, name, arguments: args }, context);
        } catch (error) {
          if (!(error instanceof RouxError)) throw error;
          return { ...toToolError((await operationOf(vaults, name)) ?? { toolset: 'vault' }, error) };
        }
      },
    }),
  ];
}

/** Lists each tool once. Where it differs, as in a vault that is read-only, the one that can do more is listed. */
async function joinTools(vaults: readonly JoinedVault[], context: RequestContext): Promise<readonly Tool[]> {
  const found = new Map<string, { tool: Tool; readonly names: string[] }>();
  for (const { name, surface } of vaults) {
    const { tools } = (await surface.answer('tools/list', {}, context)) as { readonly tools: readonly Tool[] };
    for (const tool of tools) {
      const known = found.get(tool.name);
      if (known === undefined) found.set(tool.name, { tool, names: [name] });
      else {
        known.names.push(name);
        if (known.tool.annotations.readOnlyHint) known.tool = tool;
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1)).map(({ tool, names }) => withVault(tool, names));
}

/**
 * Adds `vault` to a tool. It is required where several vaults have the tool, also of one that reads: what a vault that was not meant does
 * not have is easily taken for what is nowhere.
 */
function withVault(tool: Tool, names: readonly string[]): Tool {
  const { properties, required = [] } = tool.inputSchema as Tool['inputSchema'] & { readonly required?: readonly string[] };
  const vault = {
    description: 'Name of the vault',
    ...(names.length > MAX_LISTED_NAMES ? { type: 'string' } : { enum: names }),
  };
  const inputSchema = {
    ...tool.inputSchema,
    properties: { vault, ...properties },
    required: names.length > 1 ? ['vault', ...required] : required,
  };
  return { ...tool, inputSchema };
}

/** Returns the only vault with a tool. Throws `INVALID_PARAMS` where several have it. An unknown tool is left to the first vault to refuse. */
async function findOnly(vaults: readonly JoinedVault[], tool: string): Promise<JoinedVault> {
  const having: JoinedVault[] = [];
  for (const vault of vaults) if ((await operationOf([vault], tool)) !== undefined) having.push(vault);
  const [only = vaults[0], ...others] = having;
  if (only !== undefined && others.length === 0) return only;
  throw new RouxError('INVALID_PARAMS', `vault${IS_REQUIRED}: one of ${having.map(({ name }) => name).join(', ')}.`);
}

async function operationOf(vaults: readonly JoinedVault[], name: string) {
  const all = await Promise.all(vaults.map(({ host }) => host.operations()));
  return all.flat().find((operation) => operation.name === name);
}
