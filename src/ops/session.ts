import type { z } from 'zod';
import type { Config, Settings } from '../config.ts';
import type { Vault } from '../vault/vault.ts';
import { RouxError } from '../errors.ts';
import type { Access } from '../ports.ts';
import { stateOf } from '../vault/vault-state.ts';
import type { VaultState } from '../vault/vault-state.ts';
import { isDryRunAnswer } from './dry-run.ts';
import type { DryRun } from './dry-run.ts';
import { beginCall } from '../watchdog/at-work.ts';
import { invoke } from './call/invoke.ts';
import type { ArgumentsOf, Operation, OperationContext } from './operation.ts';
import { checkKnowledgeRenames } from './knowledge/check-renames.ts';
import { Readings } from './readings.ts';
import { planTaskRemoval } from './tasks/draft/delete-tasks.ts';
import { isAtPage, nameAtPage } from '../vault/past/at-page.ts';
import { WarningLedger } from './warnings.ts';

export type { VaultState };

/** How a caller follows and stops a call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly progress?: (done: number, total: number, message: string) => void;
  /** Compute and show what would be written, write nothing. */
  readonly isDryRun?: boolean;
  /** A name for this call, by which it is carried out once though it is sent again: to another process too, when nobody knows what became of it. */
  readonly callId?: string | undefined;
}

/** One call whose arguments came from outside of the program. */
export interface Call<In extends z.ZodObject = z.ZodObject, Out = unknown> extends CallOptions {
  readonly operation: Operation<In, Out>;
  readonly args: unknown;
}

/** What a call gave, with the warnings about it as a whole. */
export interface Answer<Out = unknown> {
  readonly output: Out;
  readonly warnings: readonly string[];
  /** The output is that of a call that was only tried; absent where it is not. */
  readonly isDryRun?: boolean;
}

/** Files of the vault that changed, from whichever side. */
export interface FilesChanged {
  readonly paths: readonly string[];
  /** Notes came or went. */
  readonly isListChanged: boolean;
}

/** Who calls. */
export interface Caller {
  /** One for each connection. */
  readonly id: string;
  /** The name under which it writes where the configuration gives none. */
  readonly agent: () => string;
  /** A person, who sees the files: what is replaced need not have been read here. */
  readonly isPerson?: boolean;
  /** A person at the web page among agents: the name under which they write stands, whatever the configuration says. */
  readonly isAtPage?: boolean;
  /** What its own configuration calls it, where that is another one than the server's; null: nothing. */
  readonly configured?: string | null;
  /** It was served by another process, which knew what it had read: a replacement of what it has not read since is refused, since it may be stale. */
  readonly hasReadElsewhere?: boolean;
  /** It would rather hear how far reading is than wait for a large vault to be read. */
  readonly answersEarly?: boolean;
  /** What it may do; all where it is not said. */
  readonly access?: Access;
}

/** Names in the history that are not those of clients: the user of the command line, edits from outside, what roux does by itself. */
const NO_CLIENTS: ReadonlySet<string> = new Set(['cli', 'external', 'roux']);

/** One caller's way to the operations of a vault. All that faces know of what is in a vault comes from here. */
export interface Session {
  /** Runs an operation with arguments that the compiler knows. They are checked like all others; errors are thrown as `RouxError`. */
  run<In extends z.ZodObject, Out>(operation: Operation<In, Out>, args: ArgumentsOf<In>, options?: CallOptions): Promise<Answer<Out>>;
  /** Runs an operation with arguments that nobody has looked at yet; `dry_run` among them is answered with what would be written. */
  call<In extends z.ZodObject, Out>(call: Call<In, Out>): Promise<Answer<Out | DryRun>>;
  /** Calls a listener after each change of the complete vault; gives what ends it. */
  follow(listener: (change: FilesChanged) => void): Promise<() => void>;
  /** How the vault stands at this moment, as far as the caller sees it; opens it where nobody has. Rejects when it cannot be opened. */
  state(): Promise<VaultState>;
}

/** A session, and what its caller has been told. */
export class VaultSession implements Session {
  readonly #openVault: () => Promise<Vault>;
  readonly #settings: () => Settings;
  readonly #caller: Caller;
  readonly #ledger = new WarningLedger();
  readonly #readings = new Readings();
  readonly #told = new Set<string>();
  #reportsTold = 0;

  /** `settings`: asked when a call begins; without it the configuration is what it was. */
  constructor(
    source: { readonly openVault: () => Promise<Vault>; readonly config: Config; readonly settings?: () => Settings },
    caller: Caller,
  ) {
    this.#openVault = source.openVault;
    this.#settings = source.settings ?? (() => ({ config: source.config, warnings: [] }));
    this.#caller = caller;
  }

  run<In extends z.ZodObject, Out>(operation: Operation<In, Out>, args: ArgumentsOf<In>, options: CallOptions = {}): Promise<Answer<Out>> {
    // The compiler has seen that there is no `dry_run` among them.
    return this.call({ ...options, operation, args }) as Promise<Answer<Out>>;
  }

  async call<In extends z.ZodObject, Out>(call: Call<In, Out>): Promise<Answer<Out | DryRun>> {
    const end = beginCall(call.operation.name);
    try {
      return await this.#answer(call);
    } finally {
      end();
    }
  }

  async #answer<In extends z.ZodObject, Out>(call: Call<In, Out>): Promise<Answer<Out | DryRun>> {
    const warnings: string[] = [];
    refuseBeyond(this.#caller.access, call.operation);
    const readings = this.#caller.isPerson === true || this.#caller.isAtPage === true ? null : this.#readings.begin();
    const context = await this.#contextOf(call, { readings, warn: (message) => void warnings.push(message) });
    const output = await invoke(call.operation, call.args, context);
    warnings.push(...context.vault.reports.slice(this.#reportsTold));
    this.#reportsTold = context.vault.reports.length;
    return { output, warnings: [...new Set(warnings)], ...(isDryRunAnswer(output) ? { isDryRun: true } : {}) };
  }

  async follow(listener: (change: FilesChanged) => void): Promise<() => void> {
    const vault = await this.#inSight(await this.#openVault());
    await vault.ready;
    let { size } = vault.graph;
    return vault.onChange((paths) => {
      const isListChanged = vault.graph.size !== size || paths.some((path) => vault.graph.get(path) === null);
      size = vault.graph.size;
      listener({ paths, isListChanged });
    });
  }

  async state(): Promise<VaultState> {
    return stateOf(await this.#inSight(await this.#openVault()));
  }

  /** The vault as the caller sees it. */
  async #inSight(vault: Vault): Promise<Vault> {
    const folders = this.#caller.access?.folders ?? null;
    // Loaded for tokens that are for some folders alone.
    return folders === null ? vault : (await import('../vault/scope/scope-vault.ts')).scopeVault(vault, folders);
  }

  /** Who writes. No client has a name that means a person or an edit from outside: what it does would not be reviewed. */
  #agentOf(config: Config): string {
    const { agent: own, isPerson, isAtPage: isPage, configured } = this.#caller;
    if (isPage === true) return nameAtPage(own());
    const agent = (configured === undefined ? config.agent : configured) ?? own();
    return isPerson !== true && (NO_CLIENTS.has(agent.trim().toLowerCase()) || isAtPage(agent)) ? `${agent}-client` : agent;
  }

  async #contextOf(
    { signal = new AbortController().signal, progress, isDryRun = false, callId }: CallOptions,
    { readings, warn }: Pick<OperationContext, 'readings' | 'warn'>,
  ): Promise<OperationContext> {
    const whole = await this.#openVault();
    const { config: set, warnings } = this.#settings();
    const config: Config = this.#caller.hasReadElsewhere === true ? { ...set, writes: { ...set.writes, blind: 'refuse' } } : set;
    await whole.configure(set);
    const vault = await this.#inSight(whole);
    for (const warning of warnings) {
      if (this.#told.has(warning)) continue;
      this.#told.add(warning);
      warn(warning);
    }
    const context: OperationContext = {
      vault,
      config,
      agent: this.#agentOf(config),
      session: this.#caller.id,
      isReadOnly: config.readOnly || this.#caller.access?.scope === 'read',
      ...(this.#caller.access === undefined ? {} : { access: this.#caller.access }),
      readings,
      answersEarly: this.#caller.answersEarly === true,
      isDryRun,
      signal,
      // Nobody takes the answer to a call of another token by its name.
      ...(callId === undefined ? {} : { callKey: `call:${this.#caller.access?.name ?? 'owner'}:${callId}` }),
      progress: (done, total, message) => progress?.(done, total, message),
      warn,
      takeWarnings: (entry, characters) => this.#ledger.take(vault.graph, entry, characters),
      planRemoval: (graph, entry) => planTaskRemoval(context, graph, entry),
      // Loaded for doctor alone.
      checks: async () => {
        const { knowledgeChecks } = await import('./knowledge/maintain/checks.ts');
        const { findSameNames } = await import('./memory/checks.ts');
        const knowledge = knowledgeChecks(vault);
        return { ...knowledge, all: () => [...knowledge.all(), ...findSameNames(vault)] };
      },
      checkRenames: (graph, files) => checkKnowledgeRenames(vault, graph, files),
    };
    return context;
  }
}

/** Refuses with `FORBIDDEN` what the bearer of a token may not ask for (V-04). */
function refuseBeyond(access: Access | undefined, { name, effect, writesByOption, toolset }: Operation): void {
  if (access === undefined) return;
  if (toolset === 'admin' && access.folders !== null) {
    const message = `${name} is about the whole vault; the token "${access.name}" is for some of its folders.`;
    throw new RouxError('FORBIDDEN', message, { needed: 'the whole vault', folders: access.folders });
  }
  // What writes by an option refuses that option itself.
  if (effect === 'read' || writesByOption === true) return;
  const needed = toolset === 'admin' ? 'admin' : 'write';
  if (SCOPES.indexOf(access.scope) >= SCOPES.indexOf(needed)) return;
  throw new RouxError('FORBIDDEN', `${name} needs a token that may ${needed}; the token "${access.name}" may ${access.scope}.`, {
    needed,
    scope: access.scope,
  });
}

const SCOPES: readonly Access['scope'][] = ['read', 'write', 'admin'];
