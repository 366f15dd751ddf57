import { access, saveToken, session, readToken } from './session.ts';
import type { SessionInfo } from './session.ts';

/** What went wrong, as the server says it; `code` is `UNREACHABLE` when there was no answer. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: unknown;
  readonly isRetryable: boolean;

  constructor(
    message: string,
    more: { readonly code: string; readonly status: number; readonly details?: unknown; readonly isRetryable?: boolean },
  ) {
    super(message);
    this.code = more.code;
    this.status = more.status;
    this.details = more.details;
    this.isRetryable = more.isRetryable ?? false;
  }
}

/** What an operation gave, with the warnings about the call. */
export interface OperationResponse<T> {
  readonly result: T;
  readonly warnings: readonly string[];
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Asks an operation of the server. Throws `ApiError`; a token that is no longer taken brings the sign-in back. */
export async function callOperation<T>(
  operation: string,
  args: Readonly<Record<string, unknown>> = {},
  options: CallOptions = {},
): Promise<T> {
  return (await callWithWarnings<T>(operation, args, options)).result;
}

export async function callWithWarnings<T>(
  operation: string,
  args: Readonly<Record<string, unknown>> = {},
  { signal }: CallOptions = {},
): Promise<OperationResponse<T>> {
  const response = await request(`/api/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(args),
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const { result, warnings = [] } = (await response.json()) as { result: T; warnings?: readonly string[] };
    return { result, warnings };
  } catch (error) {
    throw unreachableError(error);
  }
}

/** The bytes of an attachment of the vault. */
export async function fetchFile(path: string, signal?: AbortSignal): Promise<Blob> {
  const parts = path.split('/').map(encodeURIComponent).join('/');
  const response = await request(`/api/file/${parts}`, signal === undefined ? {} : { signal });
  return response.blob();
}

/** Asks who we are to the server; sets what the page knows of its access. */
export async function fetchSession(): Promise<void> {
  try {
    const facts: unknown = await (await request('/api/session', {})).json();
    // Some servers wrap it as they wrap the results of operations.
    session.value = (typeof facts === 'object' && facts !== null && 'result' in facts ? facts.result : facts) as SessionInfo;
    access.value = 'granted';
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
}

/** A request with the token; a refusal of it is told to the page. Throws `ApiError` for every answer but a good one. */
export async function request(path: string, init: RequestInit): Promise<Response> {
  const held = readToken();
  const headers = new Headers(init.headers);
  if (held !== null) headers.set('Authorization', `Bearer ${held}`);
  // Says that a person asks; no form of another site can send it.
  headers.set('X-Roux-Page', '1');
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, credentials: 'omit', redirect: 'error' });
  } catch (error) {
    throw unreachableError(error);
  }
  if (response.ok) return response;
  if (response.status === 401 && held === readToken()) {
    access.value = held === null ? 'needed' : 'refused';
    saveToken(null);
  }
  throw await parseError(response);
}

/** What it means that an answer did not come, or not to its end; unless the page itself gave it up. */
function unreachableError(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  return new ApiError('The server cannot be reached.', { code: 'UNREACHABLE', status: 0, isRetryable: true });
}

async function parseError(response: Response): Promise<ApiError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  if (typeof error === 'string') return new ApiError(error, { code: 'ERROR', status });
  const { code, message, details, retryable } = (error ?? {}) as {
    code?: string;
    message?: string;
    details?: unknown;
    retryable?: boolean;
  };
  return new ApiError(message ?? `The server answered with status ${status}.`, {
    code: code ?? 'ERROR',
    status,
    details,
    isRetryable: retryable === true,
  });
}
