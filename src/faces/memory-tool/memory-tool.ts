import { RouxError } from '../../errors.ts';
import { editMemory } from '../../ops/notes/memory-tool/edit-memory.ts';
import { viewMemory } from '../../ops/notes/memory-tool/view-memory.ts';
import type { AnswerOf } from '../../ops/operation.ts';
import type { Answer, Session } from '../../ops/session.ts';
import type { Host } from '../host.ts';

/** The folder of the vault that a model sees as `/memories` unless another one is named. */
export const DEFAULT_FOLDER = 'memories';

/** The answer to a command: `content` and `is_error` of a tool result, and the `batch` of a write, for undo. */
export type MemoryAnswer = AnswerOf<typeof editMemory>;

/** What a model can mend itself: it is told, and is no error of the program. */
const TOLD: ReadonlySet<string> = new Set(['INVALID_PARAMS', 'INVALID_ARGUMENT', 'CONFLICT', 'NODE_EXISTS', 'NODE_NOT_FOUND', 'TOO_LARGE']);

/** Carries out a command. Throws a `RouxError` for what the model cannot mend, such as a token that may only read. */
export async function runMemoryCommand(
  session: Session,
  folder: string,
  input: unknown,
  signal?: AbortSignal,
): Promise<Pick<Answer<MemoryAnswer>, 'output' | 'warnings'>> {
  const call = typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : {};
  const operation = 'command' in call && call['command'] === 'view' ? viewMemory : editMemory;
  try {
    return await session.run(operation, { folder, call }, signal === undefined ? {} : { signal });
  } catch (error) {
    const isTold = error instanceof RouxError && TOLD.has(error.code) && error.details?.['field'] !== 'folder';
    if (!isTold) throw error;
    const message = asModelSees(inToolWords(error.message, operation.name, call), folder);
    return { output: { content: `Error: ${message}`, is_error: true }, warnings: [] };
  }
}

/** Names the command and its arguments in a message as the model gave them. */
function inToolWords(message: string, operation: string, { command }: { readonly command?: unknown }): string {
  if (!message.startsWith(`${operation}: `)) return message;
  const named = typeof command === 'string' && /^[a-z_]{1,20}$/.test(command) ? `${command}: ` : '';
  return `${named}${message.slice(operation.length + 2).replaceAll(/(?<=^|; )call\./g, '')}`;
}

/** Names the paths in a message as the model knows them, below `/memories`. What the folder's name is only a part of stays. */
function asModelSees(message: string, folder: string): string {
  const start = `${folder.replace(/\/$/, '')}/`;
  return message.replaceAll(start, (found, at: number) => (/^$|[\s"'(`]/.test(message.charAt(at - 1)) ? '/memories/' : found));
}

/** The handlers that `betaMemoryTool` of `@anthropic-ai/sdk` takes. A command that cannot be carried out rejects with what the model is told. */
export interface MemoryTool {
  view(command: object): Promise<string>;
  create(command: object): Promise<string>;
  str_replace(command: object): Promise<string>;
  insert(command: object): Promise<string>;
  delete(command: object): Promise<string>;
  rename(command: object): Promise<string>;
  /** Carries out any command, for programs that make the tool result themselves: `content` and `is_error` are its. */
  execute(input: unknown): Promise<MemoryAnswer>;
}

/** Opens the memory tool of the Claude API over a folder of a vault. `agent`: who writes, in the history. */
export function createMemoryTool(
  host: Pick<Host, 'openSession'>,
  { folder = DEFAULT_FOLDER, agent = 'memory-tool' }: { readonly folder?: string; readonly agent?: string } = {},
): MemoryTool {
  const session = host.openSession({ id: `memory-tool:${agent}`, agent: () => agent });
  const execute = async (input: unknown): Promise<MemoryAnswer> => (await runMemoryCommand(session, folder, input)).output;
  const handle = (command: string) => async (given: object) => {
    const { content, is_error: isError } = await execute({ ...given, command });
    // The helper of the SDK puts "Error: " in front of the message of what is thrown.
    if (isError) throw new Error(content.replace(/^Error: /, ''));
    return content;
  };
  return {
    view: handle('view'),
    create: handle('create'),
    str_replace: handle('str_replace'),
    insert: handle('insert'),
    delete: handle('delete'),
    rename: handle('rename'),
    execute,
  };
}
