import { RouxError, errorMessage, systemCode } from '../../errors.ts';
import { HOW_TO_DOWNLOAD, ONLINE_ONLY, WHY_ONLINE_ONLY } from './online-only.ts';
import type { FileBytes, FileReader, FolderEntry, ReadRange } from './file-system.ts';

/**
 * Converts a system error to a `RouxError`; returns other errors unchanged. Paths are vault-relative. What ended because `signal` was
 * aborted with a `RouxError` becomes that one.
 */
export function toStoreError(given: unknown, signal?: AbortSignal): unknown {
  const error = toAbortReason(given, signal);
  if (error instanceof RouxError) return error;
  if (isAbort(error, signal)) {
    return new RouxError('CANCELLED', 'The call was cancelled before anything was written.', undefined, { cause: error });
  }
  const code = systemCode(error);
  if (code === null || !/^E[A-Z0-9]+$/.test(code)) return error;
  const path = error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  const details = path === undefined ? { system: code } : { system: code, path };
  const options = { cause: error };
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new RouxError('NO_SPACE', 'The disk is full; nothing was changed. Free some space and retry.', details, options);
    case 'EBUSY':
      return inUse(path, details, options);
    case 'EPERM':
      // Windows says so of a file that another program has open.
      if (process.platform === 'win32') return inUse(path, details, options);
      break;
    case 'EROFS':
      return new RouxError('READ_ONLY', 'The vault is on a read-only file system.', details, options);
    case 'EACCES':
      return new RouxError(
        'READ_ONLY',
        `No permission for ${path ?? 'a file of the vault'}: this user may not read or write it; nothing was changed.`,
        details,
        options,
      );
    case 'ENAMETOOLONG':
      return new RouxError(
        'INVALID_PARAMS',
        `${quoteStart(path)} is longer than file systems take; nothing was changed.`,
        { system: code },
        options,
      );
    case 'EFBIG':
      return new RouxError('TOO_LARGE', `${path ?? 'A file'} is too large to be read; nothing was changed.`, details, options);
    case ONLINE_ONLY:
      return new RouxError(
        'IO_ERROR',
        `${path ?? 'A file'} is online-only: ${WHY_ONLINE_ONLY}; nothing was changed. ${HOW_TO_DOWNLOAD}. Then retry.`,
        details,
        options,
      );
    case 'ESTALE':
      return new RouxError(
        'VAULT_NOT_FOUND',
        'The folder of the vault is gone, or another one stands in its place; nothing was changed. Look whether the vault is still there: mount or move it back, and retry.',
        { system: code },
        { ...options, retryable: true },
      );
    case 'EXCHANGED':
      return new RouxError(
        'CONFLICT',
        `A folder on the way to ${path ?? 'a file'} was exchanged for another one meanwhile; nothing was changed. Retry.`,
        details,
        { ...options, retryable: true },
      );
    case 'ENOENT':
      return new RouxError(
        'IO_ERROR',
        `${path ?? 'A file'} is gone: look whether the vault is still there. Nothing was changed.`,
        details,
        options,
      );
  }
  return new RouxError('IO_ERROR', `The disk failed: ${errorMessage(error)}. Nothing was changed.`, details, options);
}

function inUse(path: string | undefined, details: Readonly<Record<string, unknown>>, options: { readonly cause: unknown }): RouxError {
  const message = `${path ?? 'A file'} is in use by another program, or locked by it; nothing was changed. Close it there, then retry.`;
  return new RouxError('IO_ERROR', message, details, { ...options, retryable: true });
}

/** What Windows answers while a virus scanner, an indexer or a sync service has a file open. */
const BUSY: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EBUSY']);
const BUSY_WAITS_MS = [5, 10, 20, 40, 80] as const;

/** Renames or removes a file; on Windows tries again for a moment while another program has it open. */
export function whenFree<T>(act: () => T, platform: NodeJS.Platform = process.platform): T {
  for (const wait of platform === 'win32' ? BUSY_WAITS_MS : []) {
    try {
      return act();
    } catch (error) {
      if (!BUSY.has(systemCode(error) ?? '')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    }
  }
  return act();
}

/** Returns the reason of a signal that was aborted with a `RouxError`, if that ended the work; otherwise the error itself. */
export function toAbortReason(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted !== true || !(signal.reason instanceof RouxError)) return error;
  return isAbort(error, signal) || (error instanceof RouxError && error.code === 'CANCELLED') ? signal.reason : error;
}

function isAbort(error: unknown, signal?: AbortSignal): boolean {
  if (signal?.aborted === true && error === signal.reason) return true;
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}

function quoteStart(path: string | undefined): string {
  return path === undefined ? 'A path' : `${JSON.stringify(path.slice(0, 60))}…`;
}

/** Reads one of roux's own files; null also when this user has no permission, since a folder may come with any permissions. */
export function readAllowed(files: Pick<FileReader, 'read'>, path: string, range: ReadRange): FileBytes | null {
  return ifAllowed(() => files.read(path, range), null);
}

/** Lists one of roux's own folders; empty when it does not exist or this user has no permission. */
export function listAllowed(files: Pick<FileReader, 'list'>, folder: string): readonly FolderEntry[] {
  return ifAllowed(() => files.list(folder) ?? [], []);
}

/** Returns the result of a function, or `otherwise` when the system refused permission. */
export function ifAllowed<T, U>(read: () => T, otherwise: U): T | U {
  try {
    return read();
  } catch (error) {
    if (!isRefused(error)) throw error;
    return otherwise;
  }
}

/** Like `ifAllowed`, for an async function. */
export async function ifAllowedLater<T, U>(read: () => Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await read();
  } catch (error) {
    if (!isRefused(error)) throw error;
    return otherwise;
  }
}

/** Returns whether the system refused permission. */
function isRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');
}
