import { RouxError } from '../../errors.ts';
import { visible, visibleJson, visibleLine } from '../../terminal-text.ts';
import { describeError } from '../envelope.ts';
import type { ErrorObject } from '../envelope.ts';
import { BAD_USAGE, FAILED, FINDINGS } from './command.ts';
import type { Command, Status } from './command.ts';
import { signature } from './help.ts';
import { UsageError } from './options.ts';
import type { Program } from './program.ts';
import { formatArgument } from './show.ts';

/** Phrases in the messages of operations that name a tool, and what a user of the command line reads instead. */
const COMMAND_PHRASES: Readonly<Record<string, string>> = {
  'Use search or list_nodes to find its id': '"roux search" finds it',
  'update_node with append or content makes it': '"roux append" makes it',
  'Find ids with graph_query': '"roux tree" lists the tasks',
  'Pass merge: true': 'Pass --merge',
  'create: true makes it': '--create makes it',
};

function inCommands(message: string): string {
  return Object.entries(COMMAND_PHRASES).reduce((text, [tools, commands]) => text.replace(tools, () => commands), message);
}

/** Begins a message about an argument with the option by which the user gave it. */
function withOption({ options = {} }: Command, { message, details }: ErrorObject): string {
  const field = details?.['field'];
  if (typeof field !== 'string' || !message.startsWith(`${field}: `)) return message;
  const name = field.replaceAll('_', '-');
  return Object.hasOwn(options, name) ? `--${name}${message.slice(field.length)}` : message;
}

/** Prints an error as JSON. */
export function printError(program: Program, error: ErrorObject): void {
  program.stdout.write(`${visibleJson({ error })}\n`);
}

/** Tells why a command failed and returns its exit status. */
export function report(program: Program, command: Command, error: unknown, isJson: boolean): Status {
  const tell = (text: string): void => void program.stderr.write(`${visible(text)}\n`);
  if (error instanceof UsageError) {
    if (isJson) printError(program, { code: 'INVALID_ARGUMENT', message: `${formatArgument(error.message)}.` });
    tell(`roux ${command.name}: ${formatArgument(error.message)}.\nUsage: roux ${signature(command)} [options]`);
    return BAD_USAGE;
  }
  const plain = describeError(error);
  const described = { ...plain, message: withOption(command, plain) };
  if (isJson) printError(program, described);
  else tell(`roux ${command.name}: ${visibleLine(inCommands(described.message))}`);
  if (!(error instanceof RouxError) && program.env['ROUX_LOG'] === 'info' && error instanceof Error) tell(error.stack ?? '');
  switch (described.code) {
    case 'NODE_NOT_FOUND':
    case 'node_not_found':
    case 'project_not_found':
    case 'AMBIGUOUS':
    case 'NOT_FOUND':
      return FINDINGS;
    case 'INVALID_PARAMS':
    case 'INVALID_ARGUMENT':
    case 'validation_error':
    case 'INVALID_CONFIG':
      return BAD_USAGE;
    default:
      return FAILED;
  }
}
