import { prime as primeOperation } from '../../../ops/prime/prime.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { DONE } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { isVault, vaultInEnvironment } from '../find-vault.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { showWarnings } from '../show.ts';
import { isRecord } from '../../../is-record.ts';

/** What happened in an agent's client, as it tells the commands that it runs for it. */
interface ClientEvent {
  readonly kind: 'start' | 'end' | 'other';
  /** Wraps a text as the client wants what it adds to the context of the agent. */
  answer(text: string): unknown;
}

/** The most time that a hook takes: the client and its user wait for it. */
const MAX_HOOK_MS = 4_000;

type Ask = () => Promise<{ readonly output: AnswerOf<typeof primeOperation> }>;

/** `roux prime`: what matters in a vault at the start of a session. */
export const prime = defineOperationCommand({
  operation: primeOperation,
  name: 'prime',
  summary: 'what an agent should know when its session begins: handoffs, ready tasks, what people changed, news, what is stale',
  details: [
    'Text of notes in it stands in a fence and is data. Control characters and text that gives orders are left out.',
    '--hook is for the hooks of clients of agents: it reads their event from the standard input and answers in their form. It prints nothing',
    'where there is nothing to tell, for a folder that is no vault, and for a vault that you neither named nor trust.',
  ],
  group: 'read',
  isReadOnly: () => true,
  options: {
    'max-tokens': { value: 'N' },
    since: { type: 'string', value: 'TIME', help: 'when the last session ended; default: as a client told with --hook' },
    hook: { type: 'boolean', help: 'answer the hook of a client' },
  },
  async run(context, given) {
    const { options, host } = context;
    const ask = () => {
      const since = options.since ?? host.serverFiles.lastSessionEnd();
      return context.run(primeOperation, { ...given, ...(since === null ? {} : { since }) });
    };
    if (options.hook === true) return answerHook(context, ask);
    const { output, warnings } = await ask();
    if (context.isJson) context.printJson(output);
    else if (output.text !== '') context.printText(output.text);
    showWarnings(context, warnings);
    return DONE;
  },
});

/** Answers the event of a client; where that takes too long, ends the process without an answer, also while a large vault is being read. */
async function answerHook(context: CommandContext, ask: Ask): Promise<Status> {
  const { host, program } = context;
  // A vault that came from somewhere tells an agent nothing before its user trusts it.
  const isNamed = program.namedVault !== undefined || vaultInEnvironment(process.env) !== undefined;
  if (!isNamed && !(isVault(host.root) && program.trusted.has(host.root))) return DONE;
  const end = setTimeout(() => process.exit(DONE), MAX_HOOK_MS);
  try {
    const answer = await answerTo(context, ask);
    if (answer !== null) context.printJson(answer);
  } finally {
    clearTimeout(end);
  }
  return DONE;
}

async function answerTo({ host, program }: CommandContext, ask: Ask): Promise<unknown> {
  const event = readEvent(await program.readInput());
  if (event.kind === 'end') host.serverFiles.recordSessionEnd(new Date().toISOString());
  if (event.kind !== 'start') return null;
  const { output } = await ask();
  return output.text === '' ? null : event.answer(output.text);
}

/**
 * Reads what a client writes to the standard input of a hook: Claude Code, Codex and Gemini CLI name their events `SessionStart`, Cursor
 * `sessionStart`, and each wants text for its agent in another form. Input that names no such event has the kind `other`.
 */
function readEvent(input: string): ClientEvent {
  const name = nameOf(input);
  if (name === 'sessionStart') return { kind: 'start', answer: (text) => ({ additional_context: text }) };
  return {
    kind: name === 'SessionStart' ? 'start' : name === 'SessionEnd' || name === 'sessionEnd' ? 'end' : 'other',
    answer: (text) => ({ hookSpecificOutput: { hookEventName: name, additionalContext: text } }),
  };
}

function nameOf(input: string): string {
  try {
    const value: unknown = JSON.parse(input);
    return isRecord(value) && typeof value['hook_event_name'] === 'string' ? value['hook_event_name'] : '';
  } catch {
    return '';
  }
}
