import { invoke } from '../ops/invoke.ts';
import type { Operation, OperationContext } from '../ops/operation.ts';
import { WarningLedger } from '../ops/warnings.ts';
import type { Host } from './host.ts';

/** How a caller follows and stops a call. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly progress?: (done: number, total: number, message: string) => void;
  readonly warn: (message: string) => void;
  /** Compute and show what would be written, write nothing. */
  readonly isDryRun?: boolean;
}

/** One call: the operation and its arguments. */
export interface Call extends Omit<CallOptions, 'warn'> {
  readonly operation: Operation;
  readonly args: unknown;
}

/** What a call gave, with the warnings about it as a whole. */
export interface CallResult {
  readonly output: unknown;
  readonly warnings: readonly string[];
}

/** One client of a vault: who it is and what it has been told. */
export class Session {
  readonly #host: Host;
  readonly #id: string;
  readonly #agent: () => string;
  readonly #ledger = new WarningLedger();

  constructor(host: Host, who: { readonly id: string; readonly agent: () => string }) {
    this.#host = host;
    this.#id = who.id;
    this.#agent = who.agent;
  }

  async call({ operation, args, ...options }: Call): Promise<CallResult> {
    const warnings: string[] = [];
    const context = await this.context({ ...options, warn: (message) => void warnings.push(message) });
    const output = await invoke(operation, args, context);
    return { output, warnings: [...new Set(warnings)] };
  }

  /** What operations run with when this client asks. */
  async context({ signal, progress, warn, isDryRun = false }: CallOptions): Promise<OperationContext> {
    const vault = await this.#host.vault();
    const { config } = this.#host;
    return {
      vault,
      config,
      agent: config.agent ?? this.#agent(),
      session: this.#id,
      isReadOnly: config.readOnly,
      isDryRun,
      signal,
      progress: (done, total, message) => progress?.(done, total, message),
      warn,
      takeWarnings: (entry) => this.#ledger.take(vault.graph, entry),
    };
  }
}
