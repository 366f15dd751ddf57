import { RouxError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { isWebAuthor } from '../../vault/history/web-author.ts';
import type { Operation } from '../operation.ts';
import { badArgument } from './invoke.ts';

/** One line without control characters, which also ends in something visible. */
const NAME = /^[^\p{C}\p{Z}](?:[^\p{C}]{0,98}[^\p{C}\p{Z}])?$/u;

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
