import { isRecord } from '../../../is-record.ts';
import { showsApps, withApp } from '../../mcp/app/graph-app.ts';
import { withTasks } from '../../mcp/calls.ts';
import type { Message } from './message.ts';

/** What the build kept of the program's answers (scripts/compile-program.mjs). */
interface Kept {
  /** The protocol versions with a handshake. */
  readonly versions: readonly string[];
  /** The result of `initialize`, and of `tools/list` for a client without capabilities. */
  readonly initialize: object;
  readonly list: { readonly tools: readonly { readonly name: string }[] };
}

/**
 * Answers a client's handshake and its list of tools before the program has started, as the program will with default settings. What it may
 * answer otherwise is left to it.
 */
export class FirstAnswers {
  readonly #kept: Kept;
  /** The capabilities of the client whose handshake was answered here. */
  #client: Readonly<Record<string, unknown>> | null = null;

  /** `text`: what the build kept. */
  constructor(text: string) {
    this.#kept = JSON.parse(text) as Kept;
  }

  /** Returns the answer to a request as a line; null if it is for the server. */
  answer({ id, method, params = {} }: Message): string | null {
    const result = id === undefined ? null : this.#resultOf(method, params);
    return result === null ? null : JSON.stringify({ result, jsonrpc: '2.0', id });
  }

  #resultOf(method: string | undefined, params: NonNullable<Message['params']>): object | null {
    if (method === 'initialize') return this.#initialize(params);
    return method === 'tools/list' && this.#client !== null && Object.keys(params).length === 0 ? this.#list(this.#client) : null;
  }

  #initialize({ protocolVersion, capabilities, clientInfo, ...rest }: NonNullable<Message['params']>): object | null {
    const isUsual =
      this.#client === null &&
      Object.keys(rest).length === 0 &&
      typeof protocolVersion === 'string' &&
      this.#kept.versions.includes(protocolVersion) &&
      isRecord(clientInfo) &&
      Object.keys(clientInfo).every((key) => ['name', 'title', 'version'].includes(key) && typeof clientInfo[key] === 'string') &&
      'name' in clientInfo &&
      'version' in clientInfo;
    if (!isUsual || !isRecord(capabilities) || !Object.values(capabilities).every(isRecord)) return null;
    this.#client = capabilities;
    return { ...this.#kept.initialize, protocolVersion };
  }

  #list(client: Readonly<Record<string, unknown>>): object {
    const { tools } = this.#kept.list;
    const shown = showsApps(client) ? tools.map(withApp) : tools;
    return { tools: client['tasks'] === undefined ? shown : shown.map(withTasks) };
  }
}
