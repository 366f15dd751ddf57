/** Time, identity and chance come in from outside, so that every test is exact. */
export interface Ports {
  readonly clock: Clock;
  /** A new lower-case ULID, strictly greater than the one before it in this process. */
  newId(): string;
  /** A number in [0, 1). */
  random(): number;
  /** Bytes that nobody but this user's processes knows, kept outside of every vault; made on first use. */
  secret(): Uint8Array;
  readonly log: Log;
}

export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
}

/** Diagnostics for people. Never note text, never stdout. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
