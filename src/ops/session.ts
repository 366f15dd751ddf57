import type { z } from 'zod';
import type { Config, Settings } from '../config.ts';
import type { Vault } from '../vault/vault.ts';
import { invoke } from './invoke.ts';
import type { ArgumentsOf, Operation, OperationContext } from './operation.ts';
import { checkKnowledgeRenames } from './knowledge/check-renames.ts';
import { Readings } from './readings.ts';
import { planTaskRemoval } from './tasks/draft/delete-tasks.ts';
import { WarningLedger } from './warnings.ts';

/** How a caller follows and stops a call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly progress?: (done: number, total: number, message: string) => void;
  /** Compute and show what would be written, write nothing. */
  readonly isDryRun?: boolean;
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
}

/** Names in the history that are not those of clients: the user of the command line, edits from outside, what roux does by itself. */
const NO_CLIENTS: ReadonlySet<string> = new Set(['cli', 'external', 'roux']);

/** One caller's way to the operations of a vault, and what it has been told. All that faces know of what is in a vault comes from here. */
export class Session {
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

  /** Runs an operation with arguments that the compiler knows. They are checked like all others; errors are thrown as `RouxError`. */
  run<In extends z.ZodObject, Out>(operation: Operation<In, Out>, args: ArgumentsOf<In>, options: CallOptions = {}): Promise<Answer<Out>> {
    return this.call({ ...options, operation, args });
  }

  /** Runs an operation with arguments that nobody has looked at yet. */
  async call<In extends z.ZodObject, Out>(call: Call<In, Out>): Promise<Answer<Out>> {
    const warnings: string[] = [];
    const readings = this.#caller.isPerson === true ? null : this.#readings.begin();
    const context = await this.#contextOf(call, { readings, warn: (message) => void warnings.push(message) });
    const output = await invoke(call.operation, call.args, context);
    warnings.push(...context.vault.reports.slice(this.#reportsTold));
    this.#reportsTold = context.vault.reports.length;
    return { output, warnings: [...new Set(warnings)] };
  }

  /** Calls a listener after each change of the complete vault; gives what ends it. */
  async follow(listener: (change: FilesChanged) => void): Promise<() => void> {
    const vault = await this.#openVault();
    await vault.ready;
    let { size } = vault.graph;
    return vault.onChange((paths) => {
      const isListChanged = vault.graph.size !== size || paths.some((path) => vault.graph.get(path) === null);
      size = vault.graph.size;
      listener({ paths, isListChanged });
    });
  }

  /** Who writes. No client has a name that means a person or an edit from outside: what it does would not be reviewed. */
  #agentOf({ agent = this.#caller.agent() }: Config): string {
    return this.#caller.isPerson !== true && NO_CLIENTS.has(agent.trim().toLowerCase()) ? `${agent}-client` : agent;
  }

  async #contextOf(
    { signal = new AbortController().signal, progress, isDryRun = false }: CallOptions,
    { readings, warn }: Pick<OperationContext, 'readings' | 'warn'>,
  ): Promise<OperationContext> {
    const vault = await this.#openVault();
    const { config, warnings } = this.#settings();
    await vault.configure(config);
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
      isReadOnly: config.readOnly,
      readings,
      isDryRun,
      signal,
      progress: (done, total, message) => progress?.(done, total, message),
      warn,
      takeWarnings: (entry, characters) => this.#ledger.take(vault.graph, entry, characters),
      planRemoval: (graph, entry) => planTaskRemoval(context, graph, entry),
      // Loaded for doctor alone.
      checks: async () => (await import('./knowledge/maintain/checks.ts')).knowledgeChecks(vault),
      checkRenames: (graph, files) => checkKnowledgeRenames(vault, graph, files),
    };
    return context;
  }
}
