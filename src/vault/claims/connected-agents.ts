import type { Vault } from '../vault.ts';

/** An agent that is connected to this process, or to another one that passes its calls on. */
export interface ConnectedAgent {
  readonly agent: string;
  /** Names its connection (`Caller.connection`). */
  readonly connection: string;
}

/** The agents that are connected and have called something. */
export class ConnectedAgents {
  readonly #agents = new Map<string, ConnectedAgent>();
  #version = 0;

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  add(agent: ConnectedAgent): void {
    const key = `${agent.connection}\n${agent.agent}`;
    if (this.#agents.has(key)) return;
    this.#agents.set(key, agent);
    this.#version += 1;
  }

  /** Removes the agents of connections that are over. */
  remove(isOver: (connection: string) => boolean): void {
    for (const [key, { connection }] of this.#agents) {
      if (!isOver(connection)) continue;
      this.#agents.delete(key);
      this.#version += 1;
    }
  }

  /** Returns the agents in the order in which they came. */
  list(): readonly ConnectedAgent[] {
    return [...this.#agents.values()];
  }
}

const createConnected = (): ConnectedAgents => new ConnectedAgents();

/** Returns the agents that are connected to a vault. A view of some of its folders knows none. */
export function connectedAgentsOf(vault: Vault): ConnectedAgents {
  return vault.derived(createConnected);
}
