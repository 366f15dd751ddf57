import type { Envelope } from '../../knowledge-envelope.ts';

/** The HTTP status of each error code. Codes that are not listed here are faults of the server or system. */
const STATUS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    400: ['INVALID_PARAMS', 'INVALID_ARGUMENT', 'validation_error', 'INVALID_ENVELOPE', 'INVALID_RELATION', 'INVALID_NODE_TYPE'],
    403: ['FORBIDDEN', 'OTHER_OWNER', 'READ_ONLY', 'delete_protected'],
    404: [
      'NODE_NOT_FOUND',
      'NOT_FOUND',
      'node_not_found',
      'project_not_found',
      'ENTITY_NOT_FOUND',
      'CONNECTION_NOT_FOUND',
      'ONTOLOGY_NOT_FOUND',
    ],
    409: ['CONFLICT', 'NODE_EXISTS', 'AMBIGUOUS', 'rev_mismatch', 'IDEMPOTENCY_MISMATCH', 'ONTOLOGY_ALREADY_EXISTS', 'TYPE_ALREADY_EXISTS'],
    413: ['LIMIT_EXCEEDED', 'TOO_LARGE'],
    503: ['UNAVAILABLE', 'STORE_UNAVAILABLE', 'LOCK_TIMEOUT', 'VAULT_SHRUNK', 'VAULT_NOT_FOUND'],
    507: ['NO_SPACE'],
  }).flatMap(([status, codes]) => codes.map((code): [string, number] => [code, Number(status)])),
);

/** Codes for a request that is invalid in itself, independently of the vault. */
const UNFIT = /^(invalid_|duplicate_|missing_|unknown_|cycle_|cross_|evidence_|unresolved_|blocked_|INVALID_|REQUIRED_)/;

/** Returns the HTTP status for an error. */
export function statusOf({ code, retryable = false }: { readonly code: string; readonly retryable?: boolean }): number {
  // A full queue may accept the same request later.
  if (code === 'LIMIT_EXCEEDED' && retryable) return 429;
  return STATUS.get(code) ?? (UNFIT.test(code) ? 422 : retryable ? 503 : 500);
}

/** Returns the HTTP status for an answer in the envelope. */
export function statusOfEnvelope({ status, error }: Envelope): number {
  if (error === undefined) return status === 'ACCEPTED' ? 202 : 200;
  const { details } = error;
  const retryable = typeof details === 'object' && details !== null && 'retryable' in details && details.retryable === true;
  return statusOf({ code: error.error_code, retryable });
}
