import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '../../../errors.ts';
import type { Access, Log } from '../../../ports.ts';
import { visibleLine } from '../../../terminal-text.ts';
import type { Host } from '../../host.ts';
import { vaultPath } from '../../vault-names.ts';
import type { AmongVaults } from '../../vault-names.ts';
import { bearerOf, createGuard } from '../guard.ts';
import type { Guard } from '../guard.ts';
import { RateLimit } from '../limits/rate-limit.ts';
import { MCP_PATH } from '../oauth/metadata.ts';
import { createOauth } from '../oauth/oauth.ts';
import type { Oauth, OauthOptions } from '../oauth/oauth.ts';

/** Who may call a server: with which names, origins and tokens. */
export interface Admission {
  readonly guard: Guard;
  /** Null without a public URL. */
  readonly oauth: Oauth | null;
  /** Proves to programs of this user that this is their server. Opens nothing. */
  readonly key: string;
  /** Whether the token of a request still grants the same rights. A new token with the same name does not count. */
  readonly isGood: (request: IncomingMessage, access: Access) => boolean;
  /** Whether pages of any origin may call a path under the public name. */
  isForAnyOrigin(path: string): boolean;
  /** Returns the value of `WWW-Authenticate` for a request that is refused with 401. */
  challenge(request: IncomingMessage, path: string, target: string): string;
  /** If a file of tokens cannot be read, what is in it is refused, but the owner is not locked out. */
  ifReadable<T>(look: () => T, otherwise: T): T;
}

export interface AdmissionOptions {
  /** The owner's token; null if none is required. */
  readonly token: string | null;
  /** Whether that token was made for the vault's folder, so that it does not open another folder that takes its place. */
  readonly isFolderToken?: boolean;
  /** Where a server has several vaults: which of them this is. */
  readonly among?: AmongVaults;
  /** Replaces how descriptions of OAuth clients are fetched, for tests. */
  readonly fetchJson?: OauthOptions['fetchJson'];
}

/** How often the log says that a file of tokens cannot be read. */
const MAX_LINES_PER_MINUTE = 10;

/** Opens the tokens of a vault, and OAuth if the user has set a public URL. */
export function openAdmission(host: Host, options: AdmissionOptions): Admission {
  const { http } = host.config;
  const lines = new RateLimit(MAX_LINES_PER_MINUTE);
  const ifReadable = <T>(look: () => T, otherwise: T): T => {
    try {
      return look();
    } catch (error) {
      // Each request of a stranger looks.
      if (lines.take('')) host.log.error(errorMessage(error));
      return otherwise;
    }
  };
  const oauth = openOauth(host, options);
  /** Access tokens of OAuth are for the MCP server alone, which they name as their resource. */
  const find = (token: string, path: string, isLate = false): Access | null =>
    ifReadable(() => host.serverFiles.tokens.find(token), null) ??
    (oauth === null || path !== MCP_PATH ? null : ifReadable(() => oauth.find(token, { isLate }), null));
  const isForAnyOrigin = (path: string): boolean =>
    options.token !== null && oauth !== null && ifReadable(() => oauth.isForAnyOrigin(path), false);
  const isTokenGiven = options.isFolderToken !== true;
  const key = randomBytes(32).toString('base64url');
  const guard = createGuard({
    host: http.host,
    origins: http.publicUrl === undefined ? http.origins : [...http.origins, http.publicUrl],
    publicHost: http.publicUrl === undefined ? null : new URL(http.publicUrl).hostname,
    isForAnyOrigin,
    isTokenRequired: options.token !== null,
    // Clients may send a token even if none is required. An unreadable one never matches.
    token: () => (isTokenGiven ? options.token : null) ?? ifReadable(() => host.serverFiles.token().text, options.token ?? key),
    find,
  });
  return {
    guard,
    oauth,
    key,
    isGood: (request, access) => isDeepStrictEqual(find(bearerOf(request), MCP_PATH, true), access),
    isForAnyOrigin,
    challenge: (request, path, target) =>
      oauth === null ? 'Bearer' : ifReadable(() => oauth.challenge(path, target, bearerOf(request) !== ''), 'Bearer'),
    ifReadable,
  };
}

function openOauth({ config, serverFiles, log }: Host, { among, fetchJson }: AdmissionOptions): Oauth | null {
  const { publicUrl, clientHosts } = config.http;
  if (publicUrl === undefined) return null;
  return createOauth({
    // Asked for each time, as another folder may take the vault's place.
    file: {
      read: () => serverFiles.oauth.read(),
      change: (edit) => serverFiles.oauth.change(edit),
      hasPassword: () => serverFiles.oauth.hasPassword(),
      setPassword: (password) => serverFiles.oauth.setPassword(password),
      isPassword: (password) => serverFiles.oauth.isPassword(password),
      parseFolders: (folders) => serverFiles.oauth.parseFolders(folders),
    },
    origin: publicUrl,
    base: among === undefined ? '' : vaultPath(among.name),
    clientHosts,
    takenNames: () => serverFiles.tokens.list().map(({ name }) => name),
    isReadOnly: config.readOnly,
    writeFolders: config.writes.folders ?? null,
    log: among === undefined ? log : namingVault(log, among.name),
    ...(fetchJson === undefined ? {} : { fetchJson }),
  });
}

/** Returns a log whose lines begin with the name of the vault that they are about. */
function namingVault(log: Log, name: string): Log {
  const told = (message: string): string => `${visibleLine(name)}: ${message}`;
  return {
    info: (message) => log.info(told(message)),
    warn: (message) => log.warn(told(message)),
    error: (message) => log.error(told(message)),
  };
}
