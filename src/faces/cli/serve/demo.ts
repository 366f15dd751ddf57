import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseConfig } from '../../../config.ts';
import { errorMessage } from '../../../errors.ts';
import { isOnPath } from '../../../on-path.ts';
import { readSmallFile } from '../../../small-file.ts';
import { allowSlowExit } from '../../../watchdog/at-work.ts';
import type { HttpFace } from '../../http/serve-http.ts';
import { FAILED, defineCommand, DONE } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { shellLine } from '../shell-word.ts';
import type { Agent } from './demo-agents.ts';
import { copyDemoVault } from './demo-vault.ts';
import { userName } from '../program.ts';
import { openPage } from './serve.ts';

/** The time to read a line before the next one appears. */
const STEP_PAUSE_MS = 1200;

/** `roux demo`: two agents at work in a copy of a small vault, which shows what roux does without a vault of one's own. */
export const demo = defineCommand({
  name: 'demo',
  summary: 'two agents at work in a copy of a small vault, and the web page to watch them',
  details: ['Needs no vault and no network. It works in a temporary folder, and when it ends nothing is left of it.'],
  group: 'serve',
  isStandalone: true,
  options: {
    open: { type: 'boolean', help: 'open the web page in the browser' },
    fast: { type: 'boolean', help: 'as fast as it goes, for those who do not look on' },
  },
  async run(context) {
    const ended = new AbortController();
    const end = (): void => ended.abort();
    // Not `once`: a second Ctrl-C during cleanup would kill the process and leave half of the copy behind.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
    const vault = copyDemoVault();
    // Killed by the watchdog during cleanup, it would leave its copy behind.
    allowSlowExit();
    const host = context.program.openTemporaryVault(vault.root, (usual) => {
      const { embeddings } = usual();
      const own = readSmallFile(`${vault.root}/.rouxrc.json`);
      const values = own.kind === 'text' ? (JSON.parse(own.text) as Readonly<Record<string, unknown>>) : {};
      // Uses the demo vault's settings and none of the user's, which may name remote endpoints: a demo sends nothing anywhere.
      const local = { embeddings: embeddings === 'none' ? 'none' : 'local', http: { port: 0 } };
      return parseConfig([{ source: 'roux demo', values: { filenames: 'title', ...values, ...local } }]);
    });
    try {
      const { serveHttp } = await import('../../http/serve-http.ts');
      const token = randomBytes(32).toString('base64url');
      const face = await serveHttp(host, { token, person: userName() });
      try {
        await announce({ ...context, host }, { face, token });
        await host.ready();
        return await show(context, { url: face.url, token, signal: ended.signal });
      } finally {
        await face.close();
      }
    } finally {
      await host.close();
      vault.remove();
      if (!context.isJson) context.print('\n  It is all gone again.');
    }
  },
});

async function announce(context: CommandContext, { face, token }: { face: HttpFace; token: string }): Promise<void> {
  const { print, printJson, paint, isJson, options } = context;
  const { root } = context.host;
  const page = `${face.url}/#token=${token}`;
  if (isJson) printJson({ page, mcp: `${face.url}/mcp`, token, vault: root });
  else {
    print(`\n  ${paint.bold('roux demo')}   ${paint.green(page)}\n`);
    print(`  Open this address to look on. Two agents, ada and max, are at work in the notes of the ${basename(root)},`);
    print(`  a copy in ${root}. ${paint.dim('Ctrl+C ends it, and removes the copy.')}\n`);
  }
  if (options['open'] === true) await openPage(context, `${face.url}/#ticket=${face.ticket()}`);
}

/** Runs the agents' steps one after the other, then waits for the signal. */
async function show(context: CommandContext, { url, token, signal }: { url: string; token: string; signal: AbortSignal }): Promise<Status> {
  const agents = new Map<string, Agent>();
  const [{ connectAgent }, { readStory, playStep }] = await Promise.all([import('./demo-agents.ts'), import('./demo-story.ts')]);
  const pace = context.options['fast'] === true ? 0 : STEP_PAUSE_MS;
  const ids: Record<string, unknown> = {};
  try {
    for (const step of readStory()) {
      if (signal.aborted) return DONE;
      const agent = agents.get(step.who) ?? (await connectAgent({ name: step.who, url, token }));
      agents.set(step.who, agent);
      printStep(context, step.who, await playStep(step, agent, ids));
      await pause(pace, signal);
    }
    printClosing(context);
    await pause(null, signal);
    return DONE;
  } catch (error) {
    // Calls that were pending when the server closed have failed, which is expected.
    if (signal.aborted) return DONE;
    context.note(`roux demo: ${errorMessage(error)}`);
    return FAILED;
  } finally {
    await Promise.all([...agents.values()].map((agent) => agent.close()));
  }
}

function printStep({ print, printJson, paint, isJson }: CommandContext, agent: string, text: string): void {
  if (isJson) printJson({ agent, text });
  else print(`  ${(agent === 'ada' ? paint.cyan : paint.yellow)(agent)}  ${text}`);
}

/** Waits for some milliseconds, or until the signal if null. */
async function pause(milliseconds: number | null, signal: AbortSignal): Promise<void> {
  if (milliseconds === 0) return;
  // The longest delay that a timer can have.
  await setTimeout(milliseconds ?? 2 ** 31 - 1, undefined, { signal }).catch(() => undefined);
}

function printClosing({ print, printJson, paint, isJson, program }: CommandContext): void {
  if (isJson) return printJson({ done: true });
  const roux = commandOf(program.file);
  print(`\n  That was it. Look around as long as you like: tick a task, change a note, ask for what is known.\n`);
  print(`  Your own notes    ${paint.green(`${roux} serve /path/to/your/vault`)}`);
  print(`  Your own agent    ${paint.green(`${roux} init /path/to/your/vault --client claude`)}   (or cursor, vscode, codex, …)`);
}

/** Returns the command with which this user starts the program. */
function commandOf(program: string): string {
  if (process.env['npm_command'] === 'exec') return 'npx roux';
  return isOnPath('roux') ? 'roux' : shellLine(['node', program]);
}
