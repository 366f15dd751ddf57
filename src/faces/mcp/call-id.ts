/** The key of a call's id in `_meta`. A call that is repeated with the same id is carried out once. */
export const CALL_ID = 'roux/callId';

/** Returns the id of a call from its `_meta`; undefined if there is none or it is invalid. */
export function callIdOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const id = meta?.[CALL_ID];
  return typeof id === 'string' && /^[\w-]{16,64}$/.test(id) ? id : undefined;
}
