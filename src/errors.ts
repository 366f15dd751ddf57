/** All error codes of roux. Codes are part of the API; messages may change. */
export type ErrorCode =
  // vault tools (seed 002)
  | 'INVALID_PARAMS'
  | 'NODE_EXISTS'
  | 'NODE_NOT_FOUND'
  | 'AMBIGUOUS'
  | 'CONFLICT'
  | 'PROVIDER_ERROR'
  // disk and configuration
  | 'READ_ONLY'
  | 'NO_SPACE'
  | 'IO_ERROR'
  // a write began and could be neither finished nor rolled back: whether it will take effect is not known yet
  | 'UNKNOWN_OUTCOME'
  | 'LOCK_TIMEOUT'
  | 'VAULT_SHRUNK'
  | 'INVALID_FRONTMATTER'
  | 'TOO_LARGE'
  | 'CANCELLED'
  | 'INVALID_CONFIG'
  | 'VAULT_NOT_FOUND'
  | 'OTHER_OWNER'
  // permissions, and a server that shuts down
  | 'FORBIDDEN'
  | 'UNAVAILABLE'
  // the store of a shared vault cannot be reached
  | 'STORE_UNAVAILABLE'
  // task graph (seed 001)
  | 'validation_error'
  | 'node_not_found'
  | 'project_not_found'
  | 'duplicate_ref'
  | 'invalid_parent_ref'
  | 'invalid_depends_on'
  | 'missing_parent'
  | 'cycle_detected'
  | 'cross_project'
  | 'rev_mismatch'
  | 'evidence_required'
  | 'unresolved_children'
  | 'criteria_open'
  | 'criterion_not_found'
  | 'blocked_reason_required'
  | 'delete_protected'
  | 'unknown_op'
  // ontology and typed nodes (seed 000)
  | 'ONTOLOGY_NOT_FOUND'
  | 'ONTOLOGY_ALREADY_EXISTS'
  | 'TYPE_ALREADY_EXISTS'
  | 'INVALID_NODE_TYPE'
  | 'INVALID_CONNECTION_TYPE'
  | 'INVALID_TOPOLOGY'
  | 'REQUIRED_PROPERTY_MISSING'
  | 'CONNECTION_NOT_FOUND'
  | 'INVALID_ENCODING'
  | 'INVALID_ARGUMENT'
  | 'CONTENT_READ_FAILED'
  // memory tools (seed 004)
  | 'INVALID_ENVELOPE'
  | 'INVALID_RELATION'
  | 'ENTITY_NOT_FOUND'
  // knowledge graph (seed 003)
  | 'NOT_FOUND'
  | 'LIMIT_EXCEEDED'
  // idempotency keys
  | 'IDEMPOTENCY_MISMATCH';

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** What a refused call lacks, if it can be chosen from a few. The error says the same in words. */
export interface Choice {
  readonly question: string;
  /** `value`: for the call; `label`: for a person. */
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** The argument that is missing, or the reference that the chosen one takes the place of. */
  readonly of: { readonly argument: string } | { readonly reference: string };
}

/** An error that the caller can act on. The message says what failed, with the value, and what to do. */
export class RouxError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** What can be chosen so that the call succeeds; no part of the answer. */
  readonly choice: Choice | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details?: ErrorDetails,
    options: { cause?: unknown; retryable?: boolean; choice?: Choice } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'RouxError';
    this.code = code;
    this.details = details;
    this.retryable = options.retryable ?? false;
    this.choice = options.choice;
  }
}

/** Returns the message of anything thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the `code` of a Node system error (`ENOENT`, `EACCES` …), or null. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
