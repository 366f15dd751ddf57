/** Maximum number of tasks of one connection, including ended ones whose results can still be fetched. */
export const MAX_TASKS = 64;
/** Default and maximum time that a task may run, and that its result is available after its end. */
export const DEFAULT_TTL_MS = 10 * 60_000;
export const MAX_TTL_MS = 60 * 60_000;

/** Tools that take long in a large vault, or wait for texts to be read or embedded: clients may call them as tasks. */
const LONG: ReadonlySet<string> = new Set(
  'vault_health rename update_nodes merge_nodes search list_nodes graph_plan graph_restructure create_entities delete_entities rename_type kg_add_messages kg_add_episodes kg_delete_group kg_clear_all'.split(
    ' ',
  ),
);

/** Whether a tool may be called as a task. */
export function isLong(tool: string): boolean {
  return LONG.has(tool);
}

/** Marks a tool that may take longer than a client waits. */
export function withTasks<Listed extends { readonly name: string }>(tool: Listed): Listed {
  return isLong(tool.name) ? { ...tool, execution: { taskSupport: 'optional' } } : tool;
}

/** The key of a call's id in `_meta`. A call that is repeated with the same id is carried out once. */
export const CALL_ID = 'roux/callId';

/** Returns the id of a call from its `_meta`; undefined if there is none or it is invalid. */
export function callIdOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const id = meta?.[CALL_ID];
  return typeof id === 'string' && /^[\w-]{16,64}$/.test(id) ? id : undefined;
}
