import { visibleLine } from '../../../../terminal-text.ts';
import type { Host } from '../../../host.ts';
import type { HttpFace } from '../../../http/serve-http.ts';
import { vaultPath } from '../../../vault-names.ts';
import type { CommandContext } from '../../command.ts';
import { quotedWord } from '../../shell-word.ts';
import { clientLines } from '../client-lines.ts';

/** The variable that sets the token, for the server as for a client's command. */
const TOKEN_VARIABLE = 'ROUX_HTTP_TOKEN';

/** The token that clients have to send. */
export interface Token {
  readonly text: string;
  /** The file that contains it; null if the user gave it. */
  readonly file: string | null;
}

/** A vault that is served. */
export interface Served {
  /** Its name among several; null for the only one. */
  readonly name: string | null;
  readonly host: Host;
  /** Null if none is needed. */
  readonly token: Token | null;
  readonly face: HttpFace;
}

type Vaults = readonly [Served, ...Served[]];

/**
 * Returns a URL that signs in at the page: with the token on a terminal; elsewhere, such as in a log or in the arguments of a browser, with
 * a ticket that soon expires. Of several vaults it is the page of the first, and signs in at all of them.
 */
export function pageAddress(vaults: Vaults, { isShown }: { readonly isShown: boolean }): string {
  const [{ name, face }] = vaults;
  const isText = isShown && vaults.every(({ token }) => token === null || token.file !== null);
  const proofs = vaults.flatMap((vault): (readonly [string, string])[] =>
    vault.token === null ? [] : [[encodeURIComponent(vault.name ?? ''), isText ? vault.token.text : vault.face.ticket()]],
  );
  const kind = isText ? 'token' : 'ticket';
  if (proofs.length === 0) return `${face.url}/`;
  if (name === null) return `${face.url}/#${kind}=${proofs[0]?.[1] ?? ''}`;
  return `${face.url}/#${kind}s=${proofs.map((proof) => proof.join(':')).join(',')}`;
}

/** Returns the address of a vault for programs elsewhere; null if there is none. */
export function publicAddress({ name, host }: Served): string | null {
  const { publicUrl } = host.config.http;
  return publicUrl === undefined ? null : `${publicUrl}${name === null ? '' : vaultPath(name)}/mcp`;
}

/** Tells where the vaults are served, and how clients connect. */
export function banner({ note, paint, isJson, printJson, program }: CommandContext, vaults: Vaults, page: string): void {
  const [only] = vaults;
  const origin = new URL(only.face.url).origin;
  const parts = vaults.map((vault) => ({
    ...(vault.name === null ? {} : { name: vault.name }),
    url: vault.face.url,
    page: only.name === null ? page : `${vault.face.url}/`,
    mcp: `${vault.face.url}/mcp`,
    ...(publicAddress(vault) === null ? {} : { public_mcp: publicAddress(vault) }),
    vault: vault.host.root,
    ...(typeof vault.token?.file === 'string' ? { token_file: vault.token.file } : {}),
  }));
  if (isJson) printJson(only.name === null ? parts[0] : { url: origin, page, vaults: parts });
  const connect = (vault: Served, at: number): readonly string[] => [
    `  MCP      ${paint.green(`${vault.face.url}/mcp`)}`,
    ...(publicAddress(vault) === null ? [] : [`  Public   ${paint.green(publicAddress(vault) ?? '')}`]),
    `  API      ${vault.face.url}/api`,
    `  Health   ${vault.face.url}/health`,
    ...(vault.token === null ? [] : [`  Token    ${whereabouts(vault.token)}`]),
    '',
    ...clientsOf(vault, { isShown: program.isStderrTerminal, at }),
    '',
  ];
  const pageLine = `  Page     ${paint.green(page)}`;
  const one = [`  ${paint.bold('roux')} serves ${paint.cyan(visibleLine(only.host.root))}`, '', pageLine, ...connect(only, 0)];
  const several = [
    `  ${paint.bold('roux')} serves ${vaults.length} vaults`,
    '',
    pageLine,
    '',
    ...vaults.flatMap((vault, at) => [
      `  ${paint.bold(visibleLine(vault.name ?? ''))}: ${paint.cyan(visibleLine(vault.host.root))}`,
      ...connect(vault, at),
    ]),
    '  The page of each vault says how other clients connect.',
    '',
  ];
  note(['', ...(only.name === null ? one : several)].join('\n'));
}

/** Returns how clients connect to a vault; of several vaults, how one client does, under a name for each. */
function clientsOf({ name, token, face }: Served, { isShown, at }: { readonly isShown: boolean; readonly at: number }): readonly string[] {
  // Ready to be copied for the person who looks on; a log keeps lines for longer than a token should be read.
  const isTold = isShown && typeof token?.file === 'string';
  const lines = clientLines({
    ...(name === null ? {} : { name: `roux-${clientName(name) || at + 1}` }),
    url: `${face.url}/mcp`,
    token: token === null ? null : { inShell: inShell(token), inFile: isTold ? token.text : '<token>' },
  });
  return (name === null ? lines : lines.slice(0, 1)).map(([client, line]) => `  ${client.padEnd(14)}${line}`);
}

/** Returns a name as clients allow it: ASCII letters, digits and hyphens. */
function clientName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
}

/** Returns the token as a shell expression that reads its file, so that it is not in the shell's history. */
function inShell({ file }: Token): string {
  return file === null ? `$${TOKEN_VARIABLE}` : `$(cat ${quotedWord(file)})`;
}

function whereabouts({ file }: Token): string {
  return visibleLine(file ?? `the one that you gave; put it into ${TOKEN_VARIABLE} for the command below`);
}
