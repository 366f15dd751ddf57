import type { Readable, Writable } from 'node:stream';

/** What a server of its own is told about the client of its front. */
export interface OwnClient {
  /** Identifies the client. */
  readonly id: string;
  /** The name of the front, with which the client's session ends (`Caller.connection`). */
  readonly connection: string;
  /** Whether another process served the client before. */
  readonly hasReadElsewhere: boolean;
  /** Whether another one began to serve it, so that its vaults were there: of several, one that is gone is none of the others. */
  readonly wasServed: boolean;
}

/** How a server of its own ended. */
export interface Ending {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that opens the vault for the client of this one, so that its death is not the end of the connection. */
export interface OwnServer {
  readonly input: Readable;
  readonly output: Writable;
  /** Resolves when it has ended and all that it sent is read. */
  readonly ended: Promise<Ending>;
  /** Passes on a signal that this process got. */
  signal(name: NodeJS.Signals): void;
  /** Kills it, also where it is stopped or hangs. */
  cut(): void;
  /** Resolves when it has ended. It is killed if that takes too long. */
  finish(): Promise<void>;
}
