import { isRecord } from '../../../is-record.ts';

/** What happened in an agent's client, as it tells the commands that it runs for it. */
export interface ClientEvent {
  readonly kind: 'start' | 'end' | 'other';
  /** Wraps a text as the client wants what it adds to the context of the agent. */
  answer(text: string): unknown;
}

/**
 * Reads what a client writes to the standard input of a hook: Claude Code, Codex and Gemini CLI name their events `SessionStart`, Cursor
 * `sessionStart`. Each takes text for its agent in a form of its own. What is unclear is no event.
 */
export function readEvent(input: string): ClientEvent {
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
