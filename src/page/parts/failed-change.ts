import { ApiError } from '../api.ts';

/**
 * Why a change that a person asked for was not made, in sentences; where nobody can know whether it was, that. `isSent`: the change itself
 * was asked for, and not only what it would do.
 */
export function describeFailedChange(error: unknown, isSent: boolean): string {
  const code = error instanceof ApiError ? error.code : '';
  if (isSent && code === 'UNREACHABLE')
    return 'The server did not answer, so it is not known whether this was done. The page shows the result as soon as the server is back.';
  if (code === 'rev_mismatch')
    return 'Nothing was changed: someone else has changed this task in the meantime. Check the task and try again.';
  return `Nothing was changed. ${error instanceof Error ? error.message : String(error)}`;
}
