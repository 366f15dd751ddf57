import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { openGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { cli, program, testEnvironment } from '../../support/program/cli.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { TestStore } from '../../support/postgres/store.ts';
import { PASSWORD } from '../../support/postgres/store.ts';
import { withHomes } from '../../support/sharing/home.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { TeamSession } from './team-session.ts';

export const PROJECT = 'team';
/** How long the claims of those count whom nobody can see: short, so that their end comes about. */
export const TTL_MS = 30_000;
/** A session over HTTP that is silent for so long has ended. */
export const IDLE_MS = 15_000;

const SETTINGS = { ROUX_TASKS_CLAIM_TTL_MINUTES: String(TTL_MS / 60_000), ROUX_HTTP_SESSION_IDLE_MINUTES: String(IDLE_MS / 60_000) };

/** Where agents share tasks: one folder, worktrees of a repository, or copies of a shared vault. */
export interface Site {
  readonly kind: 'folder' | 'worktrees' | 'store';
  readonly places: readonly Place[];
  /** When a stopped process of it went on last: until then everybody may have waited for it. */
  wokenAt: number;
}

/** A folder of a site, in which agents work. */
export class Place {
  readonly name: string;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Sessions of its HTTP server. */
  readonly users = new Set<TeamSession>();
  #site: Site | null = null;
  #server: ChildProcess | null = null;
  #url: Promise<string> | null = null;
  #told = '';

  constructor(name: string, root: string, env: Readonly<Record<string, string>> = {}) {
    this.name = name;
    this.root = root;
    this.env = { ...SETTINGS, ...env };
  }

  get site(): Site {
    if (this.#site === null) throw new Error(`${this.name} is of no site`);
    return this.#site;
  }

  set site(site: Site) {
    this.#site = site;
  }

  get hasServer(): boolean {
    return this.#server !== null;
  }

  told(): string {
    return this.#told;
  }

  /** Returns the address of its HTTP server, which is started if there is none. */
  url(): Promise<string> {
    this.#url ??= this.#start();
    return this.#url;
  }

  async #start(): Promise<string> {
    const args = [program, 'serve', this.root, '--port', '0', '--json'];
    const server = spawn(process.execPath, args, {
      env: testEnvironment({ ROUX_HTTP_AUTH: 'none', ...this.env }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#server = server;
    let out = '';
    server.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    server.stderr.on('data', (chunk: Buffer) => (this.#told = (this.#told + chunk.toString()).slice(-10_000)));
    await waitFor(() => out.includes('\n'), { what: `a server (${this.#told})` });
    return (JSON.parse(out) as { url: string }).url;
  }

  /** Ends its HTTP server: every session over HTTP ends with it. A claim of a client whose server crashed lasts for its time. */
  async endServer(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    await this.#url;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    const users = [...this.users];
    this.#server = null;
    this.#url = null;
    const ends = users.map((user) => user.end('close', TTL_MS));
    server.kill(signal);
    await Promise.all([ended, ...ends]);
  }
}

function siteOf(kind: Site['kind'], places: readonly Place[]): Site {
  const site: Site = { kind, places, wokenAt: 0 };
  for (const place of places) place.site = site;
  return site;
}

/** Runs with a session at a place, in this process unless the vault is shared: what agents do has processes of its own. */
export function withPlace<T>(place: Place, run: (session: McpSession) => Promise<T>, clientName = 'the last'): Promise<T> {
  const options = { env: place.env, clientName };
  return place.site.kind === 'store' ? withMcp(place, run, options) : withServer(place, run, options);
}

const openProject = ({ ask }: McpSession): Promise<unknown> => ask('graph_open', { project: PROJECT, goal: 'Every task once' });

/** What git does in the worktrees while agents work. */
export interface Worktrees {
  readonly main: GitVault;
  /** The folders, the main one first, with their branches. */
  readonly trees: readonly { readonly root: string; readonly branch: string }[];
}

/** Runs with a folder, three worktrees, and if there is a database two copies of a shared vault, each with the project. */
export function withSites(store: TestStore | null, run: (sites: readonly Site[], worktrees: Worktrees) => Promise<void>): Promise<void> {
  return withVault({ 'readme.md': 'A folder\n' }, (folder) =>
    withVault({ 'readme.md': 'A repository\n', '.gitignore': '.roux\n' }, (files) =>
      withVault({}, (aside) =>
        withHomes({ count: store === null ? 0 : 2, password: PASSWORD }, async (...homes) => {
          for (const vault of [folder, files]) await withServer(vault, openProject);
          const main = openGitVault(files);
          await cli(['git', 'install', '--vault', main.root]);
          main.commit('attributes');
          const trees = [
            { root: main.root, branch: 'main' },
            ...['one', 'two'].map((branch) => ({ root: join(aside.root, branch), branch })),
          ];
          for (const { root, branch } of trees.slice(1)) main.git('worktree', 'add', '--quiet', '-b', branch, root);
          const sites = [
            siteOf('folder', [new Place('folder', folder.root)]),
            siteOf(
              'worktrees',
              trees.map(({ root, branch }) => new Place(branch, root)),
            ),
          ];
          const [first, second] = homes;
          if (store !== null && first !== undefined && second !== undefined) {
            const url = store.url('team', { password: null });
            const [notes, copy] = [first.folder('notes'), second.folder('copy')];
            notes.write('readme.md', 'A shared vault\n');
            await first.prepare(['share', url, 'notes']);
            await withMcp(notes, openProject, { env: first.env });
            await second.prepare(['clone', url, 'copy']);
            sites.push(siteOf('store', [new Place('notes', notes.root, first.env), new Place('copy', copy.root, second.env)]));
          }
          await run(sites, { main, trees });
        }),
      ),
    ),
  );
}
