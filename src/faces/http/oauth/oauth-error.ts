/** An error of RFC 6749, 7009, 7591 or 8707, as a client receives it. */
export class OauthError extends Error {
  readonly code: string;
  readonly status: 400 | 401 | 413 | 429 | 503;

  constructor(code: string, message: string, status: OauthError['status'] = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** A code or token that is unknown, used up or of somebody else. */
export const invalidGrant = (message: string): OauthError => new OauthError('invalid_grant', message);
export const invalidRequest = (message: string, status: 400 | 413 = 400): OauthError => new OauthError('invalid_request', message, status);
/** Hosted clients register again when they are told this with status 401. */
export const invalidClient = (message: string): OauthError => new OauthError('invalid_client', message, 401);
