import { ApiError } from '../api.ts';
import { showToast } from './toast.tsx';
import { describeError } from './words/error-text.ts';

/**
 * Describes why a change failed, or that its outcome is unknown. `isSent`: the request for the change itself was sent, not only the one
 * for its preview.
 */
export function describeFailedChange(error: unknown, isSent: boolean): string {
  const code = error instanceof ApiError ? error.code : '';
  if (isSent && code === 'UNREACHABLE')
    return 'The server did not answer, so it is not known whether this was done. The page shows the result as soon as the server is back.';
  return `Nothing was changed. ${describeError(error)}`;
}

/** Shows why a change that was sent failed. */
export function showFailedChange(error: unknown): void {
  showToast({ text: describeFailedChange(error, true), isBad: true });
}
