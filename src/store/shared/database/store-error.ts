import { errorMessage, RouxError, systemCode } from '../../../errors.ts';
import type { ErrorCode } from '../../../errors.ts';

/** Who asks whom, for messages. Holds no password. */
export interface Place {
  readonly address: string;
  readonly user: string;
  readonly database: string;
}

/** The store cannot be reached now. */
export function unavailable(place: Place, what: string): RouxError {
  const message = `The store ${place.address} cannot be reached now: ${what}. What was read before stays readable; write again when it is back.`;
  return new RouxError('STORE_UNAVAILABLE', message, undefined, { retryable: true });
}

/** What was waited for is wanted no more. */
export function cancelled(what = 'The request was cancelled.'): RouxError {
  return new RouxError('CANCELLED', what);
}

/**
 * What PostgreSQL, the network or TLS answered, as an error that says what to do. Nothing of the connection is taken along: what
 * the driver throws may hold more than people should see.
 */
export function toStoreError(error: unknown, place: Place): RouxError {
  if (error instanceof RouxError) return error;
  const code = systemCode(error);
  const text = errorMessage(error).split('\n')[0] ?? '';
  if (code !== null && SQL_STATE.test(code)) return ofServer(code, text, place);
  if (isTlsFault(error)) return tlsFault(code ?? '', text, place);
  // What has neither a code of a system nor of a server says that the connection ended.
  return unavailable(place, code === null ? text : `${text || 'the connection failed'} (${code})`);
}

/** Whether an error of connecting says that the server takes no TLS, or none like this. */
export function isTlsFault(error: unknown): boolean {
  const code = systemCode(error) ?? '';
  return (
    /^(?:ERR_(?:TLS|SSL|OSSL)|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/.test(code) ||
    /SSL connection/.test(errorMessage(error))
  );
}

/** Whether the server's rules (`pg_hba.conf`) may take the same login with or without TLS. */
export function isRefusedByRule(error: unknown): boolean {
  return systemCode(error) === '28000';
}

const SQL_STATE = /^[0-9A-Z]{5}$/;

/** Classes and codes of SQLSTATE that pass: lost connections, a server that starts or ends, no room for one more, a standby, a deadlock, a statement that took too long. */
const PASSING = /^(?:08|53|58|57P|25006|40|57014|25P0[34])/;

function ofServer(state: string, text: string, place: Place): RouxError {
  const failed = (code: ErrorCode, message: string): RouxError => new RouxError(code, message, { sqlstate: state });
  const { address, user, database } = place;
  if (state === '55P03') {
    return new RouxError(
      'LOCK_TIMEOUT',
      `Other machines write to ${address} all the time; try again.`,
      { sqlstate: state },
      { retryable: true },
    );
  }
  if (PASSING.test(state)) return unavailable(place, text);
  if (state === '28P01') {
    return failed('FORBIDDEN', `The store ${address} did not take the password for ${JSON.stringify(user)}; see PGPASSWORD and ~/.pgpass.`);
  }
  if (state.startsWith('28')) {
    const hint = /no encryption|SSL off/.test(text) ? '; where its rules ask for TLS, take sslmode=require or sslmode=verify-full' : '';
    return failed('FORBIDDEN', `The store ${address} lets nobody in as ${JSON.stringify(user)} like this: ${text}${hint}.`);
  }
  if (state === '3D000') {
    const message = `There is no database ${JSON.stringify(database)} at ${address}; "createdb ${database}" makes one.`;
    return failed('VAULT_NOT_FOUND', message);
  }
  if (state === '42501') return noRight(place, text);
  if (state === '3F000' || state === '42P01') return noVaults(place);
  return failed('IO_ERROR', `The store ${address} refused what it was asked: ${text} (SQLSTATE ${state}).`);
}

/** The database holds no store. */
export function noVaults({ address, database }: Place): RouxError {
  return new RouxError(
    'VAULT_NOT_FOUND',
    `The database ${JSON.stringify(database)} at ${address} holds no vaults yet; "roux share" puts one in.`,
  );
}

/** The role has no right to it, or not the one that is needed. */
export function noRight({ address, user }: Place, text: string): RouxError {
  const role = `"${user.replaceAll('"', '""')}"`;
  const message =
    `The role ${role} may not do this at ${address}: ${text}. Its owner can give the right to read with ` +
    `GRANT USAGE ON SCHEMA roux TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA roux TO ${role}; and the one to write with ` +
    `GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roux TO ${role}.`;
  return new RouxError('FORBIDDEN', message, { role: user });
}

function tlsFault(code: string, text: string, { address }: Place): RouxError {
  const what = /does not support SSL/.test(text) ? 'it speaks no TLS, which sslmode demands' : text.replace(/(?<![\s:.])[\s:.]+$/, '');
  const hint = TLS_HINTS.find(([codes]) => codes.test(code))?.[1];
  const why = hint === undefined ? what : `${what}; ${hint}`;
  return new RouxError('INVALID_CONFIG', `No connection to the store ${address} that is safe as its URL demands: ${why}.`);
}

/** What to do about a certificate, by the code that Node.js has for what is wrong with it. */
const TLS_HINTS: readonly (readonly [codes: RegExp, hint: string])[] = [
  [/ALTNAME_INVALID/, "the URL has to name the host as the server's certificate does, which sslmode=verify-ca does not ask for"],
  [/^(?:UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/, "sslrootcert has to name the file with the root certificate that the server's own comes from"],
  [/EXPIRED/, 'the server needs a new certificate, or this machine the right time'],
];
