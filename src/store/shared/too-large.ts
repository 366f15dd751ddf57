import { RouxError } from '../../errors.ts';

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);

/** `TOO_LARGE` for a file of a shared vault. */
export function tooLargeError(bytes: number, maxBytes: number): RouxError {
  const message = `it has ${megabytes(bytes)} MB, and a file of a shared vault may have ${megabytes(maxBytes)} MB on this machine (ROUX_MAX_SHARED_FILE_MB)`;
  return new RouxError('TOO_LARGE', message, { bytes, limit: maxBytes });
}
