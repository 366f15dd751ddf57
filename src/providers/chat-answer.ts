import { isRecord } from '../is-record.ts';

/** A chat endpoint's answer. */
export interface ChatAnswer {
  /** The text of the message; null if there is none. */
  readonly content: string | null;
  /** Why the answer ended. `length`: it was truncated; `refusal`: the model refused. */
  readonly end: 'stop' | 'length' | 'refusal';
}

/** Parses the body of a chat completion, including one sent as a stream of events although none was requested. Null if it is neither. */
export function readChatAnswer(body: string): ChatAnswer | null {
  const whole = parseOrNull(body);
  if (isRecord(whole)) return readChoice(firstChoice(whole), 'message');
  const events = body.split(/\r\n|[\r\n]/).filter((line) => line.startsWith('data:'));
  if (events.length === 0) return null;
  const answers = events
    .map((line) => parseOrNull(line.slice('data:'.length)))
    .map((event) => (isRecord(event) ? readChoice(firstChoice(event), 'delta') : null))
    .filter((answer) => answer !== null);
  if (answers.length === 0) return null;
  const content = answers.map((answer) => answer.content ?? '').join('');
  return { content: content === '' ? null : content, end: answers.find(({ end }) => end !== 'stop')?.end ?? 'stop' };
}

function firstChoice(answer: Readonly<Record<string, unknown>>): unknown {
  const { choices } = answer;
  return Array.isArray(choices) ? (choices[0] as unknown) : null;
}

function readChoice(choice: unknown, key: 'message' | 'delta'): ChatAnswer | null {
  const message = isRecord(choice) ? choice[key] : null;
  if (!isRecord(choice) || !isRecord(message)) return null;
  const { refusal, content } = message;
  const isRefused = (typeof refusal === 'string' && refusal !== '') || choice['finish_reason'] === 'content_filter';
  return { content: textOf(content), end: isRefused ? 'refusal' : choice['finish_reason'] === 'length' ? 'length' : 'stop' };
}

/** Returns the text of a message's content, which may be a list of parts. */
function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : ''));
  return texts.join('');
}

/** Returns the JSON object in a text: the whole text, or the largest object between prose, fences and thoughts. Null if there is none. */
export function findJsonMap(text: string): Readonly<Record<string, unknown>> | null {
  const thought = text.lastIndexOf('</think>');
  const said = thought === -1 ? text : text.slice(thought + '</think>'.length);
  const whole = parseOrNull(said);
  if (isRecord(whole)) return whole;
  let largest: Readonly<Record<string, unknown>> | null = null;
  let size = 0;
  for (let start = said.indexOf('{'); start !== -1;) {
    const end = mapEnd(said, start);
    // If this brace is never closed, a later one can only be closed as a part of it.
    if (end === -1) break;
    const map = end - start > size ? parseOrNull(said.slice(start, end)) : null;
    if (isRecord(map)) [largest, size] = [map, end - start];
    start = said.indexOf('{', end);
  }
  return largest;
}

/** Returns the offset after the object that starts here, or -1. */
function mapEnd(text: string, start: number): number {
  let depth = 0;
  let isText = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isText) {
      if (character === '\\') at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '{') depth += 1;
    else if (character === '}' && (depth -= 1) === 0) return at + 1;
  }
  return -1;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
