import type { Config } from '../config.ts';
import type { Log } from '../ports.ts';
import type { Operation, OperationContext } from '../ops/operation.ts';

/** An open vault, as operations see it. */
export type ServedVault = OperationContext['vault'];
export type ServedGraph = ServedVault['graph'];
export type ServedNote = NonNullable<ReturnType<ServedGraph['get']>>;
export type ServedLink = ReturnType<ServedGraph['links']>[number];

/** What the faces serve: one vault and the operations that are offered on it. Both are opened on first use, once. */
export interface Host {
  readonly name: string;
  readonly version: string;
  /** Absolute path of the vault. */
  readonly root: string;
  readonly config: Config;
  readonly log: Log;
  operations(): Promise<readonly Operation[]>;
  vault(): Promise<ServedVault>;
  /** Finishes writes and closes the vault, where it was opened. */
  close(): Promise<void>;
}
