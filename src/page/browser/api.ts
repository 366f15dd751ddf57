import { signal } from '@preact/signals';
import type { Connections } from '../../faces/http/api/connect.ts';
import { base } from './shell/vault-path.ts';
import type { Arguments, OperationName, Result } from './operations.ts';
import { access, owner, readToken, refuseToken, session } from './session.ts';
import type { SessionInfo } from './session.ts';

/** An error response of the server. `code` is `UNREACHABLE` if there was no response. */
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

/** Whether a call was refused because the vault is being read, which answers it in a moment. */
export function isStillReading({ code, details }: ApiError): boolean {
  return code === 'UNAVAILABLE' && typeof details === 'object' && details !== null && 'read' in details;
}

/** How a warning begins that an answer is about a part of the notes (`ops/call/while-reading`). */
const STILL_READING = 'The vault is still being read, ';

/** Whether there were answers about a part of the notes; false again once they are asked for anew. */
export const hasPartAnswers = signal(false);

/** The result of an operation, the warnings about the call, and the batches that it wrote, which `undo` takes. */
export interface OperationResponse<Name extends OperationName> {
  readonly result: Result<Name>;
  readonly warnings: readonly string[];
  readonly batches: readonly string[];
}

/** Answers operations where there is no server: a published site has files alone. */
type LocalAnswers = (operation: string, args: object, signal?: AbortSignal) => Promise<unknown>;
let localAnswers: LocalAnswers | null = null;

/** Lets a function answer every operation from now on. */
export function answerLocally(answers: LocalAnswers): void {
  localAnswers = answers;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Calls an operation of the server. Throws `ApiError`. If the server refuses the token, the sign-in form is shown. */
export async function callOperation<Name extends OperationName>(
  operation: Name,
  args: Arguments<Name>,
  options: CallOptions = {},
): Promise<Result<Name>> {
  return (await callWithWarnings(operation, args, options)).result;
}

export async function callWithWarnings<Name extends OperationName>(
  operation: Name,
  args: Arguments<Name>,
  { signal }: CallOptions = {},
): Promise<OperationResponse<Name>> {
  if (localAnswers !== null) return { result: (await localAnswers(operation, args, signal)) as Result<Name>, warnings: [], batches: [] };
  const response = await request(`/api/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(args),
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const { result, warnings = [], batches = [] } = (await response.json()) as Partial<OperationResponse<Name>> & { result: Result<Name> };
    if (warnings.some((warning) => warning.startsWith(STILL_READING))) hasPartAnswers.value = true;
    return { result, warnings, batches };
  } catch (error) {
    throw unreachableError(error);
  }
}

/** Fetches an attachment of the vault. Throws `ApiError`, with the code `TOO_LARGE` and the size as `details` above `maxBytes`. */
export async function fetchFile(path: string, signal?: AbortSignal, maxBytes = Number.POSITIVE_INFINITY): Promise<Blob> {
  const parts = path.split('/').map(encodeURIComponent).join('/');
  const response = await request(`/api/file/${parts}`, signal === undefined ? {} : { signal });
  const bytes = Number(response.headers.get('Content-Length') ?? 0);
  if (bytes <= maxBytes) return response.blob();
  await response.body?.cancel();
  throw new ApiError('The file is too large to be shown here.', { code: 'TOO_LARGE', status: 413, details: bytes });
}

/** Opens a PDF of the vault at a page, in the browser's own viewer and in a tab of its own. */
export async function openPdf(path: string, page: number): Promise<void> {
  // The type is set here: nothing else than a PDF is ever opened from the vault.
  const url = URL.createObjectURL(new Blob([await fetchFile(path)], { type: 'application/pdf' }));
  window.open(`${url}#page=${page}`, '_blank', 'noopener');
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Fetches how clients connect to the vault. Throws `ApiError`. */
export async function fetchConnections(): Promise<Connections> {
  return (await (await request('/api/connect', {})).json()) as Connections;
}

/**
 * Fetches the session and updates `session` and `access`. If the vault or the user is another than before, reloads the page, so that they
 * see nothing of what was open. Throws `ApiError`, except for status 401.
 */
export async function fetchSession(): Promise<void> {
  const token = readToken();
  try {
    const facts: unknown = await (await request('/api/session', {})).json();
    // Signed out, or signed in with another token, while the server answered.
    if (readToken() !== token) return;
    // Some servers wrap it like the result of an operation.
    const found = (typeof facts === 'object' && facts !== null && 'result' in facts ? facts.result : facts) as SessionInfo;
    const now = JSON.stringify([found.vault, found.name]);
    if (owner.value !== null && owner.value !== now) return location.replace(`${base}/`);
    owner.value = now;
    session.value = found;
    access.value = 'granted';
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
}

/** Sends a request with the token, and asks for another one if it is refused. Throws `ApiError` unless the response is successful. */
export async function request(path: string, init: RequestInit): Promise<Response> {
  const sentToken = readToken();
  const headers = new Headers(init.headers);
  if (sentToken !== null) headers.set('Authorization', `Bearer ${sentToken}`);
  // Marks requests of the page. Forms of other sites cannot set it.
  headers.set('X-Roux-Page', '1');
  let response: Response;
  try {
    response = await fetch(base + path, { ...init, headers, credentials: 'omit', redirect: 'error' });
  } catch (error) {
    throw unreachableError(error);
  }
  if (response.ok) return response;
  if (response.status === 401) {
    refuseToken(sentToken);
    // Another tab has signed in with a newer one. Each refused token is forgotten, so that this ends.
    if (readToken() !== null) return request(path, init);
  }
  throw await parseError(response);
}

/** Turns a network error into an `UNREACHABLE` error. Returns an `AbortError` unchanged. */
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
