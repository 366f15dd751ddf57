import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import {
  cancelledError,
  isRefusedByRule,
  isTlsFault,
  noRightError,
  toStoreError,
  unavailableError,
} from '../../../../src/store/shared/database/store-error.ts';

const PLACE = { address: 'postgres://db/team', user: 'me', database: 'team' };

/** What the driver throws. */
const thrown = (code: string | null, message = 'the text'): Error => Object.assign(new Error(message), code === null ? {} : { code });
const told = (code: string | null, message?: string): RouxError => toStoreError(thrown(code, message), PLACE);

describe('what the store answers as an error', () => {
  it('an error of ours stays what it is', () => {
    const error = new RouxError('CONFLICT', 'no');
    expect(toStoreError(error, PLACE)).toBe(error);
    expect(cancelledError()).toMatchObject({ code: 'CANCELLED', message: 'The request was cancelled.' });
    expect(cancelledError('why')).toMatchObject({ code: 'CANCELLED', message: 'why' });
    expect(unavailableError(PLACE, 'gone')).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
  });

  it('what passes is to be tried again', () => {
    for (const code of ['08006', '53300', '58030', '57P01', '25006', '40001', '40P01', '57014', '25P03', '25P04']) {
      expect(told(code), code).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true, message: expect.stringContaining('the text') });
    }
    expect(told('55P03')).toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true, details: { sqlstate: '55P03' } });
  });

  it('a refused login and a missing server are different errors', () => {
    for (const [state, code, message, text] of [
      ['28P01', 'FORBIDDEN', 'refused the password for "me"', ''],
      ['28000', 'FORBIDDEN', 'refused the login as "me": no entry.', 'no entry'],
      ['28000', 'FORBIDDEN', 'If its rules require TLS, use sslmode=require', 'no entry, no encryption'],
      ['28000', 'FORBIDDEN', 'If its rules require TLS, use sslmode=require', 'no entry, SSL off'],
      ['3D000', 'VAULT_NOT_FOUND', 'There is no database "team"', ''],
      ['42501', 'FORBIDDEN', 'The role "me" may not do this', ''],
      ['3F000', 'VAULT_NOT_FOUND', 'has no vaults yet', ''],
      ['42P01', 'VAULT_NOT_FOUND', 'has no vaults yet', ''],
      ['22012', 'IO_ERROR', 'refused a statement: division by zero (SQLSTATE 22012)', 'division by zero'],
      ['25P02', 'IO_ERROR', 'SQLSTATE 25P02', ''],
    ] as const) {
      expect(told(state, text), state).toMatchObject({ code, retryable: false, message: expect.stringContaining(message) });
    }
    expect(told('28P01').details).toEqual({ sqlstate: '28P01' });
    expect(told('28000', 'no entry').message).not.toContain('sslmode');
  });

  it('a role is named as SQL has it', () => {
    expect(noRightError({ ...PLACE, user: 'a"b' }, 'no')).toMatchObject({
      message: expect.stringContaining('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roux TO "a""b".'),
      details: { role: 'a"b' },
    });
  });

  it('the network says that the store is away, with its code, on one line', () => {
    const message = /cannot be reached now: (.*)\. The folder stays/;
    const what = (code: string | null, text?: string): string | undefined => message.exec(told(code, text).message)?.[1];
    expect(told('ECONNREFUSED')).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(what('ECONNREFUSED', 'connect refused\nmore')).toBe('connect refused (ECONNREFUSED)');
    expect(what('ECONNRESET', '')).toBe('the connection failed (ECONNRESET)');
    expect(what(null, 'Connection terminated')).toBe('Connection terminated');
    // Five capitals, but no letters of a state.
    expect(told('abcde').code).toBe('STORE_UNAVAILABLE');
    expect(toStoreError('a text', PLACE).message).toContain('a text');
  });
});

describe('what goes wrong with TLS', () => {
  it('is recognised by its code, or by the message of the driver', () => {
    for (const code of [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'ERR_OSSL_X',
      'CERT_HAS_EXPIRED',
      'CRL_HAS_EXPIRED',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'EPROTO',
      'HOSTNAME_MISMATCH',
    ]) {
      expect([isTlsFault(thrown(code)), told(code).code], code).toEqual([true, 'INVALID_CONFIG']);
    }
    expect(isTlsFault(thrown(null, 'The server does not support SSL connections'))).toBe(true);
    expect(isTlsFault(thrown('ECONNREFUSED'))).toBe(false);
    expect(isTlsFault(thrown('XCERT_'))).toBe(false);
    expect(isTlsFault(thrown(null, 'no'))).toBe(false);
  });

  it('is refused with what to do about it', () => {
    for (const [code, text, message] of [
      [
        null,
        'The server does not support SSL connections',
        'than its URL requires: the server does not support TLS, which sslmode requires.',
      ],
      ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong name', 'wrong name; use the host name of'],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable', 'unable; set sslrootcert to the file'],
      ['SELF_SIGNED_CERT_IN_CHAIN', 'self signed. ', 'self signed; set sslrootcert to the file'],
      ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self signed:', 'self signed; set sslrootcert to the file'],
      ['CERT_HAS_EXPIRED', 'expired', 'expired; renew the certificate of the server'],
      ['EPROTO', 'wrong version number', 'than its URL requires: wrong version number.'],
    ] as const) {
      expect(told(code, text), text).toMatchObject({ code: 'INVALID_CONFIG', retryable: false, message: expect.stringContaining(message) });
    }
  });

  it('a login that a rule refuses may be taken another way', () => {
    expect([isRefusedByRule(thrown('28000')), isRefusedByRule(thrown('28P01')), isRefusedByRule('28000')]).toEqual([true, false, false]);
  });
});
