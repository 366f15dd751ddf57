import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { shared } from '../vault.ts';

/** One turn of a conversation. */
export interface Turn {
  readonly uuid: string;
  readonly speaker: string;
  readonly text: string;
  /** ISO 8601 UTC; all turns of a session have one. */
  readonly at: string;
}

/** A conversation, and questions with the turns that answer them. */
export interface Conversation {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly questions: readonly { readonly query: string; readonly answers: readonly string[] }[];
}

interface File {
  readonly docs: readonly { readonly path: string; readonly title: string; readonly text: string; readonly at: string }[];
  readonly queries: readonly { readonly q: string; readonly gold: readonly string[]; readonly scope: string }[];
}

/** Reads the conversations of LoCoMo turn by turn; null where the file is not on this machine. */
export function readConversations(): readonly Conversation[] | null {
  const file = shared('quality/outside/locomo-turns.dev.json.gz');
  if (!existsSync(file)) return null;
  const { docs, queries } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as File;
  const names = [...new Set(docs.map(({ path }) => path.split('/')[0] ?? ''))];
  return names.map((name) => ({
    name,
    turns: docs
      .filter(({ path }) => path.startsWith(`${name}/`))
      .map(({ path, title, text, at }) => ({ uuid: uuidOf(path), speaker: title, text, at: readTime(at) })),
    questions: queries.filter(({ scope }) => scope === name).map(({ q, gold }) => ({ query: q, answers: gold.map(uuidOf) })),
  }));
}

function uuidOf(path: string): string {
  return path.replaceAll('/', '.');
}

/** Reads a time such as `1:56 pm on 8 May, 2023`. */
function readTime(written: string): string {
  const [, hour = '0', minute = '0', half, day] = /^(\d+):(\d+) ([ap]m) on (.*)$/.exec(written) ?? [];
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return new Date(Date.parse(`${day} UTC`) + (hours * 60 + Number(minute)) * 60_000).toISOString();
}
