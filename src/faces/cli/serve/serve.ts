import { userName } from '../program.ts';
import { join } from 'node:path';
import { allowSlowExit } from '../../../watchdog/at-work.ts';
import { errorMessage } from '../../../errors.ts';
import { HOME_FILES } from '../../../ops/care/git-files.ts';
import { readSmallFile } from '../../../small-file.ts';
import { nameVaults } from '../../vault-names.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { isLoopback } from '../../http/guard.ts';
import type { Host } from '../../host.ts';
import type { HttpFace } from '../../http/serve-http.ts';
import { acceptRelays, listen } from '../../stdio/accept-relays.ts';
import { findOtherServer } from '../../find-other-server.ts';
import { completeFiles } from '../care/complete-file.ts';
import { defineCommand, DONE } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { quotedWord } from '../shell-word.ts';
import { count } from '../show.ts';
import { listConnections } from './connections.ts';
import { requireTools } from './mcp.ts';
import { banner, pageAddress, publicAddress } from './start/banner.ts';
import type { Served, Token } from './start/banner.ts';
import { SEVERAL_DETAILS, TOOL_OPTIONS } from './tool-options.ts';
import { UsageError } from '../options.ts';

/** `roux serve`: serves a vault to many clients over HTTP. */
export const serve = defineCommand({
  name: 'serve',
  summary: 'serve MCP over HTTP for many clients, and the web page',
  details: SEVERAL_DETAILS,
  group: 'serve',
  takesVault: true,
  takesVaults: true,
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
    'public-url': {
      type: 'string',
      value: 'URL',
      help: 'https address of a tunnel or proxy that leads here; with "roux token owner", programs sign in there (OAuth)',
      setting: 'http.publicUrl',
    },
    'client-hosts': {
      type: 'string',
      value: 'a,b',
      help: 'with --public-url: hosts whose programs roux may look up there, such as claude.ai',
      setting: 'http.clientHosts',
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

/** Serves the vaults until the signal. */
async function serveVault(context: CommandContext, signal: AbortSignal): Promise<Status> {
  const { program } = context;
  const hosts = [context.host, ...context.others];
  const ended = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  for (const host of hosts) await requireTools({ host });
  for (const host of hosts) if (!host.config.readOnly) await completeHome(context, host);
  const served = await startServer(context);
  for (const each of served) await tellOfOtherServer(context, each);
  const takeBack = served.map(announce);
  const endRelays = await serveOthers(context, hosts);
  try {
    for (const host of hosts) warnOfPlantedToken(context, host);
    tellOfMissingPassword(context, served);
    const page = pageAddress(served, { isShown: program.isStderrTerminal });
    banner(context, served, page);
    // A ticket instead of the token, since other users can list the arguments of processes.
    if (context.options['open'] === true) await openPage(context, pageAddress(served, { isShown: false }));
    if (await tellWhenReady(context, served, ended)) await ended;
  } finally {
    for (const take of takeBack) take();
    // First the relays go on with another process, so that none of their writes is refused.
    endRelays();
    for (const host of hosts) host.stopWriting();
    await served[0].face.close();
  }
  return DONE;
}

/** Starts the server. */
async function startServer(context: CommandContext): Promise<readonly [Served, ...Served[]]> {
  const { serveHttp, serveVaults } = await import('../../http/serve-http.ts');
  const names = context.others.length === 0 ? [] : nameVaults([context.host, ...context.others].map(({ root }) => root));
  const toServe = (host: Host, at: number) => {
    const token = chooseToken(context, host);
    const options = {
      token: token?.text ?? null,
      isFolderToken: typeof token?.file === 'string',
      person: userName(),
      connections: listConnections(host.root, context.program.file, token !== null),
    };
    return { name: names[at] ?? '', host, token, options };
  };
  const first = toServe(context.host, 0);
  const others = context.others.map((host, at) => toServe(host, at + 1));
  const [face, ...otherFaces] = others.length === 0 ? [await serveHttp(first.host, first.options)] : await serveVaults(first, others);
  if (face === undefined) throw new Error('Nothing is served.');
  const served = (vault: typeof first, at: HttpFace): Served => ({ ...vault, name: names.length === 0 ? null : vault.name, face: at });
  return [served(first, face), ...otherFaces.flatMap((each, at) => (others[at] === undefined ? [] : [served(others[at], each)]))];
}

/**
 * Tells when the vaults have been read. Returns false if the server ended before. One of several that cannot be opened is told: its clients
 * get the error, and the others are served.
 */
async function tellWhenReady({ program, note, paint }: CommandContext, served: readonly Served[], ended: Promise<null>): Promise<boolean> {
  const all = Promise.allSettled(served.map(({ host }) => host.ready()));
  const states = await program.waitFor(Promise.race([all, ended]));
  if (states === null) return false;
  const failed = states.find((state) => state.status === 'rejected');
  if (failed !== undefined && states.every(({ status }) => status === 'rejected')) throw failed.reason;
  for (const [at, state] of states.entries()) {
    const name = served[at]?.name ?? null;
    const of = name === null ? '' : ` in ${visibleLine(name)}`;
    if (state.status === 'rejected') {
      note(
        `  ${paint.yellow('!')} ${visibleLine(name ?? '')} cannot be opened: ${visibleLine(errorMessage(state.reason))} The others are served.`,
      );
      continue;
    }
    note(`  ${count(state.value.notes, 'note')} ready${of}.${at === states.length - 1 ? ' Ctrl+C ends it.' : ''}`);
    for (const warning of state.value.warnings) note(`  ${paint.yellow('!')} ${name === null ? '' : `${visibleLine(name)}: `}${warning}`);
  }
  return true;
}

/** Tells the user that the vault is served already: they may have meant that server, and find its page. */
async function tellOfOtherServer({ note, paint }: CommandContext, { host, name }: Served): Promise<void> {
  const other = await findOtherServer(host);
  if (other === null) return;
  const vault = name === null ? 'This vault' : visibleLine(name);
  note(`  ${paint.yellow('!')} ${vault} is also served at ${other}. Both work on the same notes; stop the one that you do not need.`);
}

/** Completes the git files in `.roux`, which an older version may have written with fewer lines. */
async function completeHome({ note, program }: CommandContext, host: Host): Promise<void> {
  const { left } = await completeFiles(await program.openFiles(host.root), HOME_FILES);
  for (const { file, reason, isFailure } of left) {
    const text = `${file} stays as it is: ${reason}.`;
    if (isFailure) host.log.info(text);
    else note(`roux: ${text}`);
  }
}

/** Opens the page in the user's browser, or reports that there is none. */
export async function openPage({ note, paint, host }: Pick<CommandContext, 'note' | 'paint' | 'host'>, address: string): Promise<void> {
  const { openAddress } = await import('../programs/browser.ts');
  if (!openAddress(address, { vault: host.root })) note(`  ${paint.yellow('!')} No browser was found; open the address above in one.`);
}

/** Returns the token that clients need; null if the user wants none, which is allowed on loopback only. */
function chooseToken({ note, paint }: CommandContext, host: Host): Token | null {
  const { auth, host: address, token, publicUrl } = host.config.http;
  if (token !== undefined) return { text: token, file: null };
  if (auth === 'none' && isLoopback(address) && publicUrl === undefined) return null;
  if (auth === 'none')
    note(`  ${paint.yellow('!')} ${visibleLine(publicUrl ?? address)} can be reached from other machines, so a token is required anyway.`);
  return host.serverFiles.token();
}

/** Records the address for other programs of this user. Returns a function that removes it. */
function announce({ host, face: { url, key } }: Served): () => void {
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

/** Serves the processes that clients start on the vaults. Returns a function that ends this. */
async function serveOthers({ options }: CommandContext, hosts: readonly Host[]): Promise<() => void> {
  // No client knows the temporary folder of a clone.
  if (options['clone'] !== undefined) return () => undefined;
  return acceptRelays(hosts, await Promise.all(hosts.map(listen)));
}

/** Warns of a token file in the vault, which is ignored because it came with the folder. */
function warnOfPlantedToken({ note, paint }: CommandContext, host: Host): void {
  if (readSmallFile(join(host.root, '.roux/run/token')).kind === 'nothing') return;
  note(`  ${paint.yellow('!')} .roux/run/token came with the folder. It opens nothing here; remove it.`);
}

/** Says how OAuth gets its password, without which it is off. */
function tellOfMissingPassword({ note, paint }: CommandContext, served: readonly Served[]): void {
  for (const each of served) {
    const { serverFiles, root } = each.host;
    const address = publicAddress(each);
    if (address === null) continue;
    try {
      if (serverFiles.oauth.hasPassword()) continue;
      const command = `roux token owner --vault ${quotedWord(root)}`;
      note(`  ${paint.yellow('!')} Programs cannot sign in at ${address} yet: set the password that you will enter there with ${command}`);
    } catch (error) {
      // An unusable file turns OAuth off, and keeps nobody else out.
      note(`  ${paint.yellow('!')} Programs cannot sign in at ${address}: ${visibleLine(errorMessage(error))}`);
    }
  }
}
