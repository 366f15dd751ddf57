import { errorMessage, RouxError, systemCode } from '../../../errors.ts';
import type { ErrorCode } from '../../../errors.ts';

/** Names a database and the role of this machine in messages. Has no password. */
export interface StoreAddress {
  readonly address: string;
  readonly user: string;
  readonly database: string;
}

const SQL_STATE = /^[0-9A-Z]{5}$/;

/** Classes and codes of transient errors: lost connections, a server that starts or stops, too many connections, a standby, a deadlock, a timeout. */
const TRANSIENT = /^(?:08|53|58|57P|25006|40|57014|25P0[34])/;

/** What to do about a certificate, by the error code of Node.js. */
const TLS_HINTS: readonly (readonly [codes: RegExp, hint: string])[] = [
  [/ALTNAME_INVALID/, "use the host name of the server's certificate in the URL, or sslmode=verify-ca, which does not check it"],
  [/^(?:UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/, 'set sslrootcert to the file with the root certificate of the server'],
  [/EXPIRED/, 'renew the certificate of the server, or correct the clock of this machine'],
];

/** `STORE_UNAVAILABLE`: the store cannot be reached now. */
export function unavailableError(store: StoreAddress, what: string): RouxError {
  const message = `The store ${store.address} cannot be reached now: ${what}. The folder stays readable; try again when the store is back.`;
  return new RouxError('STORE_UNAVAILABLE', message, undefined, { retryable: true });
}

/** `CANCELLED`: the caller aborted. */
export function cancelledError(what = 'The request was cancelled.'): RouxError {
  return new RouxError('CANCELLED', what);
}

/**
 * Converts an error of PostgreSQL, the network or TLS to one that says what to do. Only its code and text are used, as an error of the driver may
 * contain secrets.
 */
export function toStoreError(error: unknown, store: StoreAddress): RouxError {
  if (error instanceof RouxError) return error;
  const code = systemCode(error);
  const text = errorMessage(error).split('\n')[0] ?? '';
  if (code !== null && SQL_STATE.test(code)) return fromServer(code, text, store);
  if (isTlsFault(error)) return tlsFault(code ?? '', text, store);
  // An error without a code says that the connection ended.
  return unavailableError(store, code === null ? text : `${text || 'the connection failed'} (${code})`);
}

/** Whether an error says that the server supports no TLS, or not with these settings. */
export function isTlsFault(error: unknown): boolean {
  const code = systemCode(error) ?? '';
  return (
    /^(?:ERR_(?:TLS|SSL|OSSL)|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/.test(code) ||
    /SSL connection/.test(errorMessage(error))
  );
}

/** Whether the rules of the server (`pg_hba.conf`) refuse the login, which they may accept with or without TLS. */
export function isRefusedByRule(error: unknown): boolean {
  return systemCode(error) === '28000';
}

function fromServer(state: string, text: string, store: StoreAddress): RouxError {
  const failed = (code: ErrorCode, message: string): RouxError => new RouxError(code, message, { sqlstate: state });
  const { address, user, database } = store;
  if (state === '55P03') {
    return new RouxError(
      'LOCK_TIMEOUT',
      `Other machines are writing to ${address} all the time. Try again.`,
      { sqlstate: state },
      { retryable: true },
    );
  }
  if (TRANSIENT.test(state)) return unavailableError(store, text);
  if (state === '28P01') {
    return failed('FORBIDDEN', `The store ${address} refused the password for ${JSON.stringify(user)}. Check PGPASSWORD and ~/.pgpass.`);
  }
  if (state.startsWith('28')) {
    const hint = /no encryption|SSL off/.test(text) ? '. If its rules require TLS, use sslmode=require or sslmode=verify-full' : '';
    return failed('FORBIDDEN', `The store ${address} refused the login as ${JSON.stringify(user)}: ${text}${hint}.`);
  }
  if (state === '3D000') {
    const message = `There is no database ${JSON.stringify(database)} at ${address}. Create it with "createdb ${database}".`;
    return failed('VAULT_NOT_FOUND', message);
  }
  if (state === '42501') return noRightError(store, text);
  if (state === '3F000' || state === '42P01') return noVaultsError(store);
  return failed('IO_ERROR', `The store ${address} refused a statement: ${text} (SQLSTATE ${state}).`);
}

/** `VAULT_NOT_FOUND`: the database has no tables of roux. */
export function noVaultsError({ address, database }: StoreAddress): RouxError {
  return new RouxError(
    'VAULT_NOT_FOUND',
    `The database ${JSON.stringify(database)} at ${address} has no vaults yet. "roux share" creates one.`,
  );
}

/** `FORBIDDEN`: the role lacks a right. */
export function noRightError({ address, user }: StoreAddress, text: string): RouxError {
  const role = `"${user.replaceAll('"', '""')}"`;
  const message =
    `The role ${role} may not do this at ${address}: ${text}. Its owner can grant the right to read: ` +
    `GRANT USAGE ON SCHEMA roux TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA roux TO ${role}; and the right to write: ` +
    `GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roux TO ${role}.`;
  return new RouxError('FORBIDDEN', message, { role: user });
}

function tlsFault(code: string, text: string, { address }: StoreAddress): RouxError {
  const what = /does not support SSL/.test(text)
    ? 'the server does not support TLS, which sslmode requires'
    : text.replace(/(?<![\s:.])[\s:.]+$/, '');
  const hint = TLS_HINTS.find(([codes]) => codes.test(code))?.[1];
  const why = hint === undefined ? what : `${what}; ${hint}`;
  return new RouxError('INVALID_CONFIG', `The connection to the store ${address} would be less safe than its URL requires: ${why}.`);
}
