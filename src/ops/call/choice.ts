import { RouxError } from '../../errors.ts';
import type { Choice } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { cleanReference } from '../reference.ts';

/** Asks the client for one of the values of a choice; null if it gives none. */
export type Ask = (choice: Choice) => Promise<string | null>;

/** Further errors of a call are answered as if nobody could be asked. */
const MAX_QUESTIONS = 3;
/** Arguments that hold references to notes or tasks, on any level. */
const REFERENCES: ReadonlySet<string> = new Set(
  'id ids node node_id node_ids task source sources target from from_node_id to_node_id parent_ref depends_on'.split(' '),
);

/**
 * Runs a call, and again with what was chosen where it is refused for want of a choice (O-09). Where nobody chooses, the error is that of
 * the refused call.
 */
export async function withChoices<Out>(given: unknown, ask: Ask, run: (args: unknown) => Promise<Out>): Promise<Out> {
  let args = given;
  for (let asked = 0; ; asked += 1) {
    try {
      return await run(args);
    } catch (error) {
      const next = asked < MAX_QUESTIONS ? await choose(args, error, ask) : null;
      if (next === null) throw error;
      args = next;
    }
  }
}

/** Returns the arguments with what was chosen; null if nothing was. */
async function choose(args: unknown, error: unknown, ask: Ask): Promise<unknown> {
  const choice = error instanceof RouxError ? error.choice : undefined;
  if (choice === undefined || choice.options.length === 0) return null;
  // Asked only if the answer has a place.
  if (apply(args, choice, '') === null) return null;
  const value = await ask(choice);
  return value === null || !choice.options.some((option) => option.value === value) ? null : apply(args, choice, value);
}

function apply(args: unknown, { of }: Choice, value: string): unknown {
  if ('argument' in of) return isRecord(args) ? { ...args, [of.argument]: value } : null;
  let isReplaced = false;
  const replace = (each: unknown, isReference: boolean): unknown => {
    if (Array.isArray(each)) return each.map((item: unknown) => replace(item, isReference));
    if (isRecord(each)) return Object.fromEntries(Object.entries(each).map(([key, item]) => [key, replace(item, REFERENCES.has(key))]));
    if (!isReference || typeof each !== 'string' || cleanReference(each) !== of.reference) return each;
    isReplaced = true;
    return value;
  };
  const replaced = replace(args, false);
  return isReplaced ? replaced : null;
}
