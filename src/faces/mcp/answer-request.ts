import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { describeError } from '../envelope.ts';

/** The schema of a kind of request, as the SDK has them. */
type RequestSchema = z.ZodObject<{ method: z.ZodLiteral<string>; params: z.ZodType }>;

type Extra = Parameters<Parameters<Server['setRequestHandler']>[1]>[1];

/** So many wrong parameters one error names. */
const MOST_ISSUES = 5;

/**
 * Answers one kind of request. Parameters that do not fit are -32602 (invalid params), as JSON-RPC has it, and not -32603 as the SDK
 * makes of them; what fails is told as tools tell it: in words of bounded length, without a path of this machine.
 */
export function answerRequest<Schema extends RequestSchema>(
  server: Server,
  schema: Schema,
  answer: (request: z.output<Schema>, extra: Extra) => Record<string, unknown> | Promise<Record<string, unknown>>,
): void {
  // The SDK parses before it calls: what it is given fits always, and is looked at here.
  const parsed = z.unknown().transform((params) => read(schema, params));
  const anything = z.looseObject({ method: schema.shape.method, params: parsed.optional() });
  server.setRequestHandler(anything, async (request, extra) => {
    try {
      if (request.params === undefined) read(schema, undefined);
      return await answer(request as z.output<Schema>, extra);
    } catch (error) {
      if (error instanceof McpError) throw error;
      const { code, message } = describeError(error);
      throw new McpError(code === 'INVALID_PARAMS' ? ErrorCode.InvalidParams : ErrorCode.InternalError, message, { code });
    }
  });
}

function read(schema: RequestSchema, params: unknown): unknown {
  const checked = schema.shape.params.safeParse(params);
  if (checked.success) return checked.data;
  const issues = checked.error.issues.slice(0, MOST_ISSUES).map(({ path, message }) => `${['params', ...path].join('.')}: ${message}`);
  throw new McpError(ErrorCode.InvalidParams, `${schema.shape.method.value}: ${issues.join('; ')}.`);
}
