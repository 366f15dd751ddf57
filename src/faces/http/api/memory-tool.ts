import { RouxError } from '../../../errors.ts';
import { boundWarnings } from '../../envelope.ts';
import type { Host } from '../../host.ts';
import { DEFAULT_FOLDER, runMemoryCommand } from '../../memory-tool/memory-tool.ts';
import type { HttpContext } from '../env.ts';
import { answerError, answerJson } from './answer.ts';
import type { Callers } from './callers.ts';
import { readBody, readJson } from './read-body.ts';

/**
 * `POST /memory-tool`: carries out a command of the memory tool of the Claude API, the `input` of a `tool_use` as JSON, in the folder that
 * `?folder=` names. Answers `{"content", "is_error"}`, which belong into the `tool_result`, with `batch` and `warnings` beside them; what the
 * token does not permit is an error as of all other routes.
 */
export async function answerMemoryTool(
  { host, callers }: { readonly host: Host; readonly callers: Callers },
  context: HttpContext,
): Promise<Response> {
  const gone = new AbortController();
  context.env.outgoing.once('close', () => gone.abort());
  try {
    if (!/^application\/json\s*(;|$)/i.test(context.req.header('content-type') ?? ''))
      throw new RouxError('INVALID_ARGUMENT', 'Send the input of the tool as JSON, with the header "Content-Type: application/json".');
    const input = readJson(await readBody(context, host.config.http.maxRequestBytes), '{"command": "view", "path": "/memories"}');
    const folder = context.req.query('folder') ?? DEFAULT_FOLDER;
    const { output, warnings } = await runMemoryCommand(callers.sessionOf(context), folder, input, gone.signal);
    return answerJson(context, { ...output, ...(warnings.length === 0 ? {} : { warnings: boundWarnings(warnings) }) });
  } catch (error) {
    if (!(error instanceof RouxError))
      host.log.error(`memory-tool: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return answerError(context, error);
  }
}
