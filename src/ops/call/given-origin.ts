import * as z from 'zod';
import { isLower, ORIGINS } from '../../note/origin.ts';
import type { Origin } from '../../note/origin.ts';
import type { OperationContext } from '../operation.ts';

/** The origin of a text that a call brings. `person` is for people alone, so it is not in the list of tools. */
export const originInput = z
  .enum(ORIGINS)
  .optional()
  .describe('web: from a page you fetched')
  .meta({ unlisted: ['person'] });

/** The property in which an origin is written down. */
export const ORIGIN = 'origin';

/** Returns the origin of what the caller itself writes. */
export function originOfCaller({ readLog }: Pick<OperationContext, 'readLog'>): Origin {
  // People see the files, so nothing is recorded of what they read.
  return readLog === null ? 'person' : 'agent';
}

/**
 * Returns the origin to write down for a text; null if it is none less trusted than what the note tells already. A client that claims to be
 * a person is an agent.
 */
export function originToWrite(context: OperationContext, given: Origin | undefined, stated: Origin): Origin | null {
  if (given === undefined) return null;
  const own = originOfCaller(context);
  if (isLower(own, given)) context.warn(`origin: "${given}" was taken as "${own}", which is what you are; it can only be lowered.`);
  const origin = isLower(own, given) ? own : given;
  return isLower(origin, stated) ? origin : null;
}
