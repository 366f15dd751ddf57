import type { z } from 'zod';
import type { Config, Settings } from '../config.ts';
import type { Vault } from '../vault/vault.ts';
import type { Access } from '../ports.ts';
import { getVaultState } from '../vault/vault-state.ts';
import type { VaultState } from '../vault/vault-state.ts';
import { errorMessage } from '../errors.ts';
import { isDryRunAnswer } from './dry-run.ts';
import type { DryRun } from './dry-run.ts';
import { beginCall } from '../watchdog/at-work.ts';
import { checkRights, limitVault } from './call/access.ts';
import type { Rights } from './call/access.ts';
import { actorOf, nameBehind, takeAgent } from './call/actor.ts';
import type { NamedCaller } from './call/actor.ts';
import { withChoices } from './call/choice.ts';
import type { Ask } from './call/choice.ts';
import { Fence, fenceError } from './call/fence.ts';
import { invoke } from './call/invoke.ts';
import type { ArgumentsOf, Operation, OperationContext, Toolset, WriteOptions } from './operation.ts';
import { ReadLog } from './read-log.ts';
import { connectedAgentsOf } from '../vault/claims/connected-agents.ts';
import { isWebAuthor, webAuthor } from '../vault/history/web-author.ts';
import { WarningLedger } from './warnings.ts';

export type { Ask, VaultState };

/** How a caller follows, stops and repeats a call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly progress?: (done: number, total: number, message: string) => void;
  /** Compute and show what would be written, write nothing. */
  readonly isDryRun?: boolean;
  /** Identifies this call, so that it runs once even if it is sent again, also to another process, after its outcome was lost. */
  readonly callId?: string | undefined;
  /** Asks the caller where a call would be refused for want of a choice; by default it is refused. */
  readonly ask?: Ask;
}

/** A call whose arguments come from outside the program. */
export interface Call<In extends z.ZodObject = z.ZodObject, Out = unknown> extends CallOptions {
  readonly operation: Operation<In, Out>;
  readonly args: unknown;
}

/** The answer to a call, with the warnings about the whole call. */
export interface Answer<Out = unknown> {
  readonly output: Out;
  readonly warnings: readonly string[];
  /** Those of the warnings that are about text that gives orders; absent if there are none. */
  readonly fences?: readonly string[];
  /** Parts beside the output, such as the `files` of a search; absent if there are none. */
  readonly parts?: Readonly<Record<string, unknown>>;
  /** The output is that of a dry run; absent otherwise. */
  readonly isDryRun?: boolean;
}

/** Files of the vault that changed, through roux or outside it. */
export interface FilesChanged {
  readonly paths: readonly string[];
  /** Notes were added or removed. */
  readonly isListChanged: boolean;
}

/** What a caller has configured for itself. */
export interface Configured {
  /** Its name as an agent; null: it has none. */
  readonly agent: string | null;
  /** The folders that it may write, as `readFolders` takes them; null: all. */
  readonly writeFolders: readonly string[] | null;
}

/** The caller of a session. */
export interface Caller extends NamedCaller {
  /** One for each connection. */
  readonly id: string;
  /**
   * Names its connection among all processes, so that they can tell whether it has ended: the name of the process that serves this caller
   * alone, or that of a server with a part of its own. Absent if the caller does not stay connected, as a command.
   */
  readonly connection?: string;
  /** What its own configuration says, when that is not the server's. */
  readonly configured?: Configured;
  /** It was served by another process before, whose read log is lost: a replacement of what it has not read since may be stale and is refused. */
  readonly hasReadElsewhere?: boolean;
  /** It prefers an early answer to waiting until a large vault is read. */
  readonly answersEarly?: boolean;
  /** What it may do; absent: everything. */
  readonly access?: Access;
}

/** Names in the history that no client may have: the user of the command line, edits from outside, roux itself. */
const RESERVED_AGENT_NAMES: ReadonlySet<string> = new Set(['cli', 'external', 'roux']);

/** Whether a caller is a person, who sees what happens to their vault. */
function isPersonal({ isPerson, isWebUser }: Caller): boolean {
  return isPerson === true || isWebUser === true;
}

/** Runs operations for one caller. Faces access a vault through this alone. */
export interface Session {
  /** Runs an operation with typed arguments, which are validated like all others. Errors are thrown as `RouxError`. */
  run<In extends z.ZodObject, Out>(operation: Operation<In, Out>, args: ArgumentsOf<In>, options?: CallOptions): Promise<Answer<Out>>;
  /** Runs an operation with unchecked arguments; with `dry_run` among them it answers what would be written. */
  call<In extends z.ZodObject, Out>(call: Call<In, Out>): Promise<Answer<Out | DryRun>>;
  /** Calls a listener after each change of the fully read vault. Returns a function that ends this. */
  follow(listener: (change: FilesChanged) => void): Promise<() => void>;
  /** Returns the current state of the vault as the caller sees it; opens the vault if necessary. Rejects when it cannot be opened. */
  state(): Promise<VaultState>;
}

/** A session with its read log and the warnings that its caller has had. */
export class VaultSession implements Session {
  readonly #openVault: () => Promise<Vault>;
  readonly #settings: () => Settings;
  readonly #toolsets: () => Promise<readonly Toolset[]>;
  readonly #caller: Caller;
  readonly #ledger = new WarningLedger();
  readonly #readLog = new ReadLog();
  readonly #fence = new Fence();
  readonly #deliveredWarnings = new Set<string>();
  #deliveredReports = 0;

  /** `settings` is asked at the start of each call; without it the configuration does not change. */
  constructor(
    source: {
      readonly openVault: () => Promise<Vault>;
      readonly config: Config;
      readonly settings?: () => Settings;
      readonly toolsets: () => Promise<readonly Toolset[]>;
    },
    caller: Caller,
  ) {
    this.#openVault = source.openVault;
    this.#settings = source.settings ?? (() => ({ config: source.config, warnings: [] }));
    this.#toolsets = source.toolsets;
    this.#caller = caller;
  }

  run<In extends z.ZodObject, Out>(operation: Operation<In, Out>, args: ArgumentsOf<In>, options: CallOptions = {}): Promise<Answer<Out>> {
    // The type of the arguments has no `dry_run`.
    return this.call({ ...options, operation, args }) as Promise<Answer<Out>>;
  }

  async call<In extends z.ZodObject, Out>(call: Call<In, Out>): Promise<Answer<Out | DryRun>> {
    const end = beginCall(call.operation.name);
    try {
      const { ask } = call;
      return await (ask === undefined
        ? this.#answer(call)
        : withChoices(call.args, ask, (args) => this.#answer({ ...call, args }, call.args)));
    } catch (error) {
      throw this.#caller.isWebUser === true ? error : fenceError(error, call.args);
    } finally {
      end();
    }
  }

  /** `asked`: the arguments before anything was chosen for them. */
  async #answer<In extends z.ZodObject, Out>(call: Call<In, Out>, asked: unknown = call.args): Promise<Answer<Out | DryRun>> {
    const warnings: string[] = [];
    const parts: Record<string, unknown> = {};
    const batches: string[] = [];
    const readLog = isPersonal(this.#caller) ? null : this.#readLog.beginCall();
    const { args, said } = takeAgent(call.operation, call.args);
    const context = await this.#contextOf(call.operation, call, {
      said,
      readLog,
      warn: (message) => void warnings.push(message),
      include: (name, part) => void (parts[name] = part),
      onCommitted: (batch) => void batches.push(batch),
    });
    const answersEarly = this.#caller.answersEarly === true;
    const output = await invoke(call.operation, args, context, {
      answersEarly,
      canAsk: call.ask !== undefined,
      ...(asked === call.args ? {} : { asked: takeAgent(call.operation, asked).args }),
    });
    if (!isPersonal(this.#caller)) warnings.push(...(await this.#follow(context, call.operation)));
    warnings.push(...context.vault.health.reports.slice(this.#deliveredReports));
    this.#deliveredReports = context.vault.health.reports.length;
    // The page offers to undo what its user has just done.
    if (this.#caller.isWebUser === true && batches.length > 0) parts['batches'] = batches;
    // A page shows notes as notes, and its reader is a person.
    const fences =
      this.#caller.isWebUser === true ? [] : this.#fence.warn(context.vault, call.operation, call.args, output, { parts, warnings });
    warnings.push(...fences);
    return {
      output,
      warnings: [...new Set(warnings)],
      ...(fences.length === 0 ? {} : { fences }),
      ...(Object.keys(parts).length === 0 ? {} : { parts }),
      ...(isDryRunAnswer(output) ? { isDryRun: true } : {}),
    };
  }

  /** Returns what toolsets have to tell the caller beside the answer. Its failure is none of the call. */
  async #follow(context: OperationContext, operation: Operation): Promise<readonly string[]> {
    const whole = await this.#openVault();
    const { agent, connection } = context;
    if (connection !== undefined) connectedAgentsOf(whole).add({ agent, connection });
    try {
      const told = (await this.#toolsets()).map(async ({ callers }) => (await callers?.follow(whole, context, operation)) ?? []);
      return (await Promise.all(told)).flat();
    } catch (error) {
      whole.ports.log.warn(`After ${operation.name}: ${errorMessage(error)}`);
      return [];
    }
  }

  async follow(listener: (change: FilesChanged) => void): Promise<() => void> {
    const vault = await limitVault(await this.#openVault(), this.#rights(this.#settings().config));
    await vault.health.ready;
    let { size } = vault.graph;
    return vault.notes.onChange((paths) => {
      const isListChanged = vault.graph.size !== size || paths.some((path) => vault.graph.get(path) === null);
      size = vault.graph.size;
      listener({ paths, isListChanged });
    });
  }

  async state(): Promise<VaultState> {
    return getVaultState(await limitVault(await this.#openVault(), this.#rights(this.#settings().config)));
  }

  /** Returns the name of the writer. No client gets a name of a person or of edits from outside: its writes would not be reviewed. */
  #agentOf(config: Config): string {
    const { agent: own, isPerson, isWebUser, configured } = this.#caller;
    if (isWebUser === true) return webAuthor(own());
    const agent = (configured === undefined ? config.agent : configured.agent) ?? own();
    return isPerson !== true && (RESERVED_AGENT_NAMES.has(agent.trim().toLowerCase()) || isWebAuthor(agent)) ? `${agent}-client` : agent;
  }

  #rights({ readOnly, writes }: Config): Rights {
    const { access, configured } = this.#caller;
    return { isReadOnly: readOnly, access, writeFolders: configured === undefined ? (writes.folders ?? null) : configured.writeFolders };
  }

  async #contextOf(
    operation: Operation,
    { signal = new AbortController().signal, progress, isDryRun = false, callId }: CallOptions,
    {
      said,
      readLog,
      warn,
      include,
      onCommitted,
    }: Pick<OperationContext, 'readLog' | 'warn' | 'include'> & Pick<WriteOptions, 'onCommitted'> & { readonly said: string | null },
  ): Promise<OperationContext> {
    const { config: set, warnings } = this.#settings();
    checkRights(this.#rights(set), operation);
    const whole = await this.#openVault();
    await whole.settings.configure(set);
    const vault = await limitVault(whole, this.#rights(set));
    for (const warning of warnings) {
      if (this.#deliveredWarnings.has(warning)) continue;
      this.#deliveredWarnings.add(warning);
      warn(warning);
    }
    const config: Config = this.#caller.hasReadElsewhere === true ? { ...set, writes: { ...set.writes, blind: 'refuse' } } : set;
    const own = this.#agentOf(config);
    const agent = said === null ? own : nameBehind(own, said);
    return {
      vault,
      config,
      agent,
      ...(said === null ? {} : { said }),
      actor: actorOf(this.#caller, agent),
      session: this.#caller.id,
      ...(this.#caller.connection === undefined ? {} : { connection: this.#caller.connection }),
      readLog,
      writeOptions: {
        dryRun: isDryRun,
        ...(onCommitted === undefined ? {} : { onCommitted }),
        // With the token's name in it, no token can get the answer to a call of another one.
        ...(callId === undefined ? {} : { idempotencyKey: `call:${this.#caller.access?.name ?? 'owner'}:${callId}` }),
      },
      signal,
      progress: (done, total, message) => progress?.(done, total, message),
      warn,
      include,
      takeWarnings: (entry, characters) => this.#ledger.take(vault.graph, entry, characters),
      toolsets: this.#toolsets,
    };
  }
}
