import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { didYouMean } from '../../../suggest.ts';
import type { Operation } from '../../../ops/operation.ts';
import type { Answer, Session } from '../../../ops/session.ts';
import type { Host } from '../../host.ts';
import { showsApps, withApp } from '../app/graph-app.ts';
import { answerInEnvelope } from '../../knowledge-envelope.ts';
import { describeFolders } from './instructions.ts';
import type { WriteFolders } from './instructions.ts';
import { defineRequest } from './request.ts';
import type { RequestContext, RequestKind } from './request.ts';
import { callIdOf, withTasks } from '../calls.ts';
import { toTool } from './tools.ts';
import { toEnvelopeResult, toToolError, toToolResult } from './tool-result.ts';
import type { Tool } from './tools.ts';
import type { ToolResult } from './tool-result.ts';

const tools = new WeakMap<readonly Operation[], readonly Tool[]>();

const toolParams = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  _meta: z.looseObject({}).optional(),
});

/** Answers `tools/list` and `tools/call`: the operations of a host as tools. */
export function toolRequests({
  host,
  session,
  writeFolders,
}: {
  readonly host: Host;
  readonly session: Session;
  readonly writeFolders: WriteFolders;
}): readonly RequestKind[] {
  return [
    defineRequest({
      method: 'tools/list',
      params: z.object({}).optional(),
      answer: async (_, { capabilities, hasTasks = false }) => {
        const all = await listTools(await host.operations(), host.config);
        const listed = writeFolders === null ? all : all.map((tool) => withFolders(tool, writeFolders));
        const shown = showsApps(capabilities) ? listed.map(withApp) : listed;
        return { tools: hasTasks ? shown.map(withTasks) : [...shown] };
      },
    }),
    defineRequest({
      method: 'tools/call',
      params: toolParams,
      answer: async ({ name, arguments: args, _meta: meta }, context) => ({
        ...(await callTool({ host, session }, { name, args, callId: callIdOf(meta) }, context)),
      }),
    }),
  ];
}

async function callTool(
  { host, session }: { readonly host: Host; readonly session: Session },
  { name, args, callId }: { readonly name: string; readonly args: unknown; readonly callId: string | undefined },
  { signal, progress, ask }: RequestContext,
): Promise<ToolResult> {
  const operations = await host.operations();
  const operation = operations.find((each) => each.name === name);
  if (operation === undefined) return toToolError({ toolset: 'vault' }, unknownTool(name, operations));
  const form = { isStructured: host.config.structured };
  const call = (checked: unknown): Promise<Answer> =>
    session.call({
      operation,
      args: checked,
      signal,
      callId,
      ...(progress === undefined ? {} : { progress }),
      ...(ask === undefined ? {} : { ask }),
    });
  try {
    if (operation.envelope !== undefined)
      return toEnvelopeResult(operation, await answerInEnvelope(operation, args, { call, log: host.log }), form);
    return toToolResult(operation, await call(args), form);
  } catch (error) {
    if (!(error instanceof RouxError))
      host.log.error(`${operation.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return toToolError(operation, error);
  }
}

/** Returns the tools for a list of operations, cached by the list, which belongs to one host. */
async function listTools(
  operations: readonly Operation[],
  { readOnly: isReadOnly, structured: isStructured }: Host['config'],
): Promise<readonly Tool[]> {
  const known = tools.get(operations);
  if (known !== undefined) return known;
  const plain = operations.map((operation) => toTool(operation, { isReadOnly }));
  // Loaded lazily: most clients read text.
  const outputSchema = isStructured ? (await import('./output-schemas.ts')).outputSchema : null;
  const list = outputSchema === null ? plain : plain.map((tool, at) => ({ ...tool, outputSchema: outputSchema(operations[at]!) }));
  tools.set(operations, list);
  return list;
}

/** Adds to the description of a tool that writes where it may do so. */
function withFolders(tool: Tool, folders: readonly string[]): Tool {
  return tool.annotations.readOnlyHint ? tool : { ...tool, description: `${tool.description} ${describeFolders(folders)}` };
}

function unknownTool(name: string, operations: readonly Operation[]): RouxError {
  const valid = operations.map((operation) => operation.name);
  return new RouxError('INVALID_PARAMS', `There is no tool "${name}"${didYouMean(name, valid)} Tools: ${valid.join(', ')}.`);
}
