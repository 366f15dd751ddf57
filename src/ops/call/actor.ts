import { firstCharacters } from '../../note/text.ts';
import { RouxError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { isWebAuthor } from '../../vault/history/web-author.ts';
import type { Operation } from '../operation.ts';
import { badArgument } from './invoke.ts';

/** One line without control characters, which also ends in something visible. */
const NAME = /^[^\p{C}\p{Z}](?:[^\p{C}]{0,98}[^\p{C}\p{Z}])?$/u;

const MAX_CHARACTERS = 100;

/** What names a caller. */
export interface NamedCaller {
  /** Returns the name under which it writes when the configuration gives none. */
  readonly agent: () => string;
  /** A person, who sees the files and may replace what was not read here. */
  readonly isPerson?: boolean;
  /** A person at the web page: they write under their own name, whatever the configuration says. */
  readonly isWebUser?: boolean;
  /** Returns the name of the person, where the name under which they write does not say it. */
  readonly person?: () => string;
  /** An agent, by a client that speaks for it. */
  readonly isAgent?: boolean;
}

/**
 * Returns the name under which a caller confirms, in a form of the Open Knowledge Format: `human:<name>` for a person, `agent/<name>` for an
 * agent (G-03), `process:<name>` for other programs. `agent`: the name under which it writes.
 */
export function actorOf({ isPerson, isWebUser, isAgent, person, agent: own }: NamedCaller, agent: string): string {
  if (isWebUser === true) return `human:${wordOf(own())}`;
  // Who gives the terminal the name of an agent is that agent.
  if (isPerson === true && agent === own()) return `human:${wordOf(person?.() ?? agent)}`;
  return `${isAgent === true ? 'agent/' : 'process:'}${wordOf(agent)}`;
}

/** Makes a name one word, so that no client can pass for a person, or write into the fields of a fact. */
function wordOf(name: string): string {
  const words = name.normalize('NFC').split(/[^\p{L}\p{M}\p{N}._@+]+/u);
  const word = firstCharacters(words.filter((each) => each !== '').join('-'), MAX_CHARACTERS);
  return word === '' ? 'unknown' : word;
}

/**
 * Splits off `agent`, by which one of several agents behind a connection names itself (T-03). Only calls that write take it, and those of the
 * task tools, whose answers depend on who asks; an operation with an argument of that name keeps it. Null if it is not given.
 */
export function takeAgent(operation: Operation, args: unknown): { readonly args: unknown; readonly said: string | null } {
  const isTaken = operation.effect !== 'read' || operation.toolset === 'tasks';
  if (!isTaken || !isRecord(args) || !Object.hasOwn(args, 'agent') || Object.hasOwn(operation.input.shape, 'agent'))
    return { args, said: null };
  const { agent, ...rest } = args;
  if (typeof agent === 'string' && NAME.test(agent)) return { args: rest, said: agent };
  throw new RouxError(badArgument(operation), `${operation.name}: agent must be a name of 1 to 100 characters in one line.`);
}

/** Returns the name under which an agent behind a connection is recorded: what it calls itself, and who said so. */
export function nameBehind(connection: string, said: string): string {
  const name = `${said} (${connection})`;
  // No agent may pass for a person at the page.
  return isWebAuthor(name) ? `${said} (${connection}-client)` : name;
}
