/** Tasks of one connection, those that have ended and are kept included. */
export const MAX_TASKS = 64;
/** How long a task may take, and how long it is kept after its end, where the client does not say. */
export const DEFAULT_TTL_MS = 10 * 60_000;
export const MAX_TTL_MS = 60 * 60_000;
