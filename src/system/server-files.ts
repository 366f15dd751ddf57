import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { errorMessage, RouxError } from '../errors.ts';
import type { OauthFile, ServerFiles, TokenFile } from '../faces/host.ts';
import { createOauthFile } from './tokens/oauth-file.ts';
import { readOrCreatePrivateFile, readPrivateFile, removePrivateFile, replacePrivateFile } from './private-file.ts';
import { findRunningServer, serverFileName, serversFolder } from './running-server.ts';
import { createTokenFile } from './tokens/tokens.ts';

/** Shorter tokens could be guessed. */
const MIN_TOKEN_CHARACTERS = 16;

/** Opens the files about the servers of a vault. They are in the user's own folder, because a file in the vault may have come with it. */
export function openServerFiles(vaultRoot: string): ServerFiles {
  const folder = serversFolder();
  const nameOf = (kind: Parameters<typeof serverFileName>[1]): string => serverFileName(vaultRoot, kind);
  // By name, because another folder may take the vault's place while a server runs; it has tokens of its own (H-22).
  let token: { readonly name: string; readonly text: string; readonly file: string } | undefined;
  let tokens: { readonly name: string; readonly file: TokenFile } | undefined;
  let oauth: { readonly name: string; readonly file: OauthFile } | undefined;
  return {
    token() {
      const name = nameOf('token');
      if (token?.name !== name) {
        const file = join(folder, name);
        const text = readToken(folder, name);
        if (text.length < MIN_TOKEN_CHARACTERS) throw unusable(file, 'it holds no token of 16 characters or more');
        token = { name, text, file };
      }
      return { text: token.text, file: token.file };
    },
    get tokens() {
      const name = nameOf('tokens');
      if (tokens?.name !== name) tokens = { name, file: createTokenFile(folder, name) };
      return tokens.file;
    },
    get oauth() {
      const name = nameOf('oauth');
      if (oauth?.name !== name) oauth = { name, file: createOauthFile(folder, name) };
      return oauth.file;
    },
    running: () => findRunningServer(vaultRoot),
    async listen() {
      // Imported lazily, since most processes have their socket from relay.ts.
      const { openVaultSockets } = await import('./vault-sockets.ts');
      for (const sockets = openVaultSockets(vaultRoot); sockets !== null;) {
        const socket = await sockets.listen((sockets.list()[0] ?? 0) + 1);
        if (socket !== null) return socket;
      }
      return null;
    },
    lastSessionEnd() {
      try {
        const time = readPrivateFile(join(folder, nameOf('session')))?.trim() ?? '';
        return Number.isNaN(Date.parse(time)) ? null : time;
      } catch {
        // Somebody else's file tells nothing.
        return null;
      }
    },
    recordSessionEnd: (time) => replacePrivateFile(folder, nameOf('session'), `${time}\n`),
    announce(address) {
      const [name, text] = [nameOf('json'), `${JSON.stringify(address)}\n`];
      replacePrivateFile(folder, name, text);
      return () => removePrivateFile(folder, name, text);
    },
  };
}

function readToken(folder: string, name: string): string {
  try {
    return readOrCreatePrivateFile(folder, name, () => `${randomBytes(32).toString('base64url')}\n`).trim();
  } catch (error) {
    throw unusable(join(folder, name), errorMessage(error), error);
  }
}

function unusable(file: string, why: string, cause?: unknown): RouxError {
  const message = `The token for clients cannot be kept in ${file}: ${why}. Remove that file, or give a token by ROUX_HTTP_TOKEN or --token.`;
  return new RouxError('IO_ERROR', message, undefined, { cause });
}
