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
