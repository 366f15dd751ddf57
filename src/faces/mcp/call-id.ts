/** Where a call says its own name, by which it is carried out once though it is sent again. */
export const CALL_ID = 'roux/callId';

/** The name of a call in what the protocol leaves to programs; what cannot be one is none. */
export function callIdOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const id = meta?.[CALL_ID];
  return typeof id === 'string' && /^[\w-]{16,64}$/.test(id) ? id : undefined;
}
