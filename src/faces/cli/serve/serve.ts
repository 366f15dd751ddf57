import { userName } from '../program.ts';
import { join } from 'node:path';
import { allowSlowExit } from '../../../watchdog/at-work.ts';
import { errorMessage } from '../../../errors.ts';
import { HOME_FILES } from '../../../ops/care/git-files.ts';
import { readSmallFile } from '../../../small-file.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { isLoopback } from '../../http/guard.ts';
import type { HttpFace } from '../../http/serve-http.ts';
import { acceptRelays } from '../../stdio/accept-relays.ts';
import { findOtherServer } from '../../find-other-server.ts';
import { completeFiles } from '../care/complete-file.ts';
import { defineCommand, DONE } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { quotedWord } from '../shell-word.ts';
import { count } from '../show.ts';
import { clientLines } from './client-lines.ts';
import { listConnections } from './connections.ts';
import { requireTools } from './mcp.ts';
import { TOOL_OPTIONS } from './tool-options.ts';
import { UsageError } from '../options.ts';

/** The variable that sets the token, for the server as for a client's command. */
const TOKEN_VARIABLE = 'ROUX_HTTP_TOKEN';

/** `roux serve`: serves a vault to many clients over HTTP. */
export const serve = defineCommand({
  name: 'serve',
  summary: 'serve MCP over HTTP for many clients, and the web page',
  group: 'serve',
  takesVault: true,
  isFollowing: true,
  options: {
    port: { type: 'number', short: 'p', min: 0, max: 65_535, help: 'port; 0 for any', setting: 'http.port', default: 7411 },
    host: { type: 'string', value: 'H', help: 'address to bind', setting: 'http.host', default: '127.0.0.1' },
    token: { type: 'string', value: 'T', help: 'bearer token that clients have to send', setting: 'http.token' },
    auth: {
      type: 'string',
      value: 'HOW',
      help: 'what clients must send; none is allowed on loopback only, and lets every user of this machine write',
      setting: 'http.auth',
      choices: ['token', 'none'],
      default: 'token',
    },
    open: { type: 'boolean', help: 'open the web page in the browser' },
    clone: {
      type: 'string',
      value: 'URL',
      help: 'serve a shared vault (postgres://…) from a temporary folder, which is gone at the end: for containers',
    },
    ...TOOL_OPTIONS,
  },
  async run(context) {
    const ended = new AbortController();
    const url = context.options.clone;
    // A copy is pushed and removed at the end, which a second Ctrl-C must not interrupt.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process[url === undefined ? 'once' : 'on'](signal, () => ended.abort());
    if (url === undefined) return serveVault(context, ended.signal);
    allowSlowExit();
    if (context.program.namedVault !== undefined) throw new UsageError('--clone makes its own folder; do not name a vault');
    const { serveCopy } = await import('../sharing/serve-copy.ts');
    return serveCopy(context, { url, signal: ended.signal, serveVault });
  },
});

/** Serves a vault until the signal. */
async function serveVault(context: CommandContext, signal: AbortSignal): Promise<Status> {
  const { host } = context;
  const ended = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  await requireTools(context);
  const { serveHttp } = await import('../../http/serve-http.ts');
  if (!context.host.config.readOnly) await completeHome(context);
  const token = chooseToken(context);
  const face = await serveHttp(host, {
    token: token?.text ?? null,
    isFolderToken: typeof token?.file === 'string',
    person: userName(),
    connections: listConnections(host.root, context.program.file, token !== null),
  });
  await tellOfOtherServer(context);
  const takeBack = announce(context, face);
  const endRelays = await serveOthers(context);
  try {
    warnOfPlantedToken(context);
    const page = pageAddress(context, { face, token });
    banner(context, { url: face.url, token, page });
    // A ticket instead of the token, since other users can list the arguments of processes.
    if (context.options['open'] === true) await openPage(context, token === null ? page : `${face.url}/#ticket=${face.ticket()}`);
    const state = await context.program.waitFor(Promise.race([host.ready(), ended]));
    if (state !== null) {
      context.note(`  ${count(state.notes, 'note')} ready. Ctrl+C ends it.`);
      for (const warning of state.warnings) context.note(`  ${context.paint.yellow('!')} ${warning}`);
      await ended;
    }
  } finally {
    takeBack();
    // First the relays go on with another process, so that none of their writes is refused.
    endRelays();
    host.stopWriting();
    await face.close();
  }
  return DONE;
}

/** Tells the user that the vault is served already: they may have meant that server, and find its page. */
async function tellOfOtherServer({ host, note, paint }: CommandContext): Promise<void> {
  const other = await findOtherServer(host);
  if (other !== null)
    note(`  ${paint.yellow('!')} This vault is also served at ${other}. Both work on the same notes; stop the one that you do not need.`);
}

/** Completes the git files in `.roux`, which an older version may have written with fewer lines. */
async function completeHome({ host, note, program }: CommandContext): Promise<void> {
  const { left } = await completeFiles(await program.openFiles(host.root), HOME_FILES);
  for (const { file, reason, isFailure } of left) {
    const text = `${file} stays as it is: ${reason}.`;
    if (isFailure) host.log.info(text);
    else note(`roux: ${text}`);
  }
}

/** The token that clients have to send. */
interface Token {
  readonly text: string;
  /** The file that contains it; null if the user gave it. */
  readonly file: string | null;
}

/** Returns a URL that signs in at the page: with the token on a terminal; elsewhere, such as in a log, with a ticket that soon expires. */
function pageAddress({ program }: CommandContext, { face, token }: { face: HttpFace; token: Token | null }): string {
  if (token === null) return `${face.url}/`;
  return program.isStderrTerminal && token.file !== null ? `${face.url}/#token=${token.text}` : `${face.url}/#ticket=${face.ticket()}`;
}

/** Opens the page in the user's browser, or reports that there is none. */
export async function openPage({ note, paint, host }: Pick<CommandContext, 'note' | 'paint' | 'host'>, address: string): Promise<void> {
  const { openAddress } = await import('../programs/browser.ts');
  if (!openAddress(address, { vault: host.root })) note(`  ${paint.yellow('!')} No browser was found; open the address above in one.`);
}

/** Returns the token that clients need; null if the user wants none, which is allowed on loopback only. */
function chooseToken({ host, note, paint }: CommandContext): Token | null {
  const { auth, host: address, token } = host.config.http;
  if (token !== undefined) return { text: token, file: null };
  if (auth === 'none' && isLoopback(address)) return null;
  if (auth === 'none')
    note(`  ${paint.yellow('!')} ${visibleLine(address)} can be reached from other machines, so a token is required anyway.`);
  return host.serverFiles.token();
}

/** Records the address for other programs of this user. Returns a function that removes it. */
function announce({ host }: CommandContext, { url, key }: HttpFace): () => void {
  try {
    return host.serverFiles.announce({
      pid: process.pid,
      url,
      vault: host.root,
      started: new Date().toISOString(),
      key,
    });
  } catch (error) {
    host.log.info(`the address could not be recorded for other programs: ${errorMessage(error)}`);
    return () => undefined;
  }
}

/** Serves the processes that clients start on the vault. Returns a function that ends this. */
async function serveOthers({ host, options }: CommandContext): Promise<() => void> {
  try {
    // No client knows the temporary folder of a clone.
    const socket = options['clone'] === undefined ? await host.serverFiles.listen() : null;
    if (socket !== null) return acceptRelays(host, socket);
  } catch (error) {
    host.log.info(`"roux mcp" will open the vault itself: ${errorMessage(error)}`);
  }
  return () => undefined;
}

/** Warns of a token file in the vault, which is ignored because it came with the folder. */
function warnOfPlantedToken({ host, note, paint }: CommandContext): void {
  if (readSmallFile(join(host.root, '.roux/run/token')).kind === 'nothing') return;
  note(`  ${paint.yellow('!')} .roux/run/token came with the folder. It opens nothing here; remove it.`);
}

function banner(
  { note, paint, host, isJson, printJson, program }: CommandContext,
  { url, token, page }: { url: string; token: Token | null; page: string },
): void {
  if (isJson)
    printJson({
      url,
      page,
      mcp: `${url}/mcp`,
      vault: host.root,
      ...(token === null || token.file === null ? {} : { token_file: token.file }),
    });
  // Ready to be copied for the person who looks on; a log keeps lines for longer than a token should be read.
  const isShown = token !== null && token.file !== null && program.isStderrTerminal;
  const lines = clientLines({
    url: `${url}/mcp`,
    token: token === null ? null : { inShell: inShell(token), inFile: isShown ? token.text : '<token>' },
  });
  note(
    [
      '',
      `  ${paint.bold('roux')} serves ${paint.cyan(visibleLine(host.root))}`,
      '',
      `  Page     ${paint.green(page)}`,
      `  MCP      ${paint.green(`${url}/mcp`)}`,
      `  API      ${url}/api`,
      `  Health   ${url}/health`,
      ...(token === null ? [] : [`  Token    ${whereabouts(token)}`]),
      '',
      ...lines.map(([client, line]) => `  ${client.padEnd(14)}${line}`),
      '',
    ].join('\n'),
  );
}

/** Returns the token as a shell expression that reads its file, so that it is not in the shell's history. */
function inShell({ file }: Token): string {
  return file === null ? `$${TOKEN_VARIABLE}` : `$(cat ${quotedWord(file)})`;
}

function whereabouts({ file }: Token): string {
  return visibleLine(file ?? `the one that you gave; put it into ${TOKEN_VARIABLE} for the command below`);
}
