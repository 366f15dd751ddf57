import * as z from 'zod';
import type { OauthFile, OauthState } from '../../faces/host.ts';
import { readFolders } from '../../folder-globs.ts';
import { hashPassword, isPasswordOf } from './password.ts';
import { openPrivateJson } from './private-json.ts';
import { SHA256, storedRights } from './tokens.ts';

const sha256 = z.string().regex(SHA256);

const client = z.strictObject({
  id: z.string().min(1).max(200),
  name: z.string().max(200),
  secret: sha256.nullable(),
  redirectUris: z.array(z.string().max(2_000)).max(20),
  created: z.string(),
});

const accessToken = z.strictObject({ sha256, scope: storedRights.scope, until: z.number() });

const grant = z.strictObject({
  ...storedRights,
  id: z.string().min(1).max(200),
  clientId: z.string().max(2_000),
  clientName: z.string().max(200),
  resource: z.string(),
  used: z.string(),
  code: sha256,
  refresh: sha256,
  access: z.array(accessToken).max(100),
});

const oauthFile = z.strictObject({
  password: z.string().nullable(),
  clients: z.array(client).max(1_000),
  grants: z.array(grant).max(1_000),
});

interface Stored extends OauthState {
  readonly password: string | null;
}

/**
 * Opens the OAuth clients and grants of a vault, in a private file of the user. It holds hashes instead of the password, secrets and
 * tokens. A running server applies changes with its next request.
 */
export function createOauthFile(folder: string, file: string): OauthFile {
  const stored = openPrivateJson<Stored>(folder, file, {
    schema: oauthFile,
    empty: { password: null, clients: [], grants: [] },
    holds: "OAuth clients and the owner's password",
    ifRemoved: 'the password is then set again with "roux token owner", and programs ask for access again',
  });
  return {
    read: () => stored.read(),
    change: (edit) =>
      stored.change((value) => {
        const { state, result } = edit(value);
        return { value: state === value ? value : { ...value, clients: state.clients, grants: state.grants }, result };
      }),
    hasPassword: () => stored.read().password !== null,
    async setPassword(password) {
      const hash = await hashPassword(password);
      stored.change((value) => ({ value: { ...value, password: hash }, result: undefined }));
    },
    async isPassword(password) {
      const hash = stored.read().password;
      return hash !== null && isPasswordOf(hash, password);
    },
    parseFolders: (folders) => readFolders(folders).patterns,
  };
}
