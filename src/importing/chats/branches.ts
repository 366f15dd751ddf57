/** A message in the tree of a conversation: each answer that was asked for again, and each question that was edited, begins a branch. */
export interface TreeNode {
  readonly id: string;
  readonly parent: string | null;
  /** When it was made, in any unit. */
  readonly at: number;
}

export interface Branches {
  /** The ids of the messages that the user sees, first one first. */
  readonly main: readonly string[];
  /** All others, each once. `after`: the number of messages of `main` before the branch. */
  readonly others: readonly { readonly after: number; readonly ids: readonly string[] }[];
}

/**
 * Divides a tree into the path to `current`, and what else is there. Without `current`, the path leads to the newest message that nobody
 * answered. Trees with circles, unknown parents and several roots lose no message.
 */
export function divideBranches(nodes: readonly TreeNode[], current: string | null): Branches {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Set(nodes.map(({ parent }) => parent));
  const newest = (candidates: readonly TreeNode[]): TreeNode | undefined =>
    candidates.reduce<TreeNode | undefined>((best, node) => (best === undefined || node.at >= best.at ? node : best), undefined);
  const end = byId.get(current ?? '') ?? newest(nodes.filter(({ id }) => !parents.has(id))) ?? nodes.at(-1);
  const taken = new Set<string>();
  const main: string[] = [];
  for (let node = end; node !== undefined && !taken.has(node.id); node = byId.get(node.parent ?? '')) {
    taken.add(node.id);
    main.push(node.id);
  }
  main.reverse();
  return { main, others: listOthers(nodes, { main, taken, byId }) };
}

function listOthers(
  nodes: readonly TreeNode[],
  { main, taken, byId }: { readonly main: readonly string[]; readonly taken: Set<string>; readonly byId: ReadonlyMap<string, TreeNode> },
): Branches['others'] {
  const places = new Map(main.map((id, at) => [id, at + 1]));
  const children = new Map<string, string[]>();
  for (const { id, parent } of nodes) {
    if (taken.has(id) || parent === null) continue;
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [id]);
    else known.push(id);
  }
  const others: { readonly after: number; readonly ids: readonly string[] }[] = [];
  const follow = (start: string, after: number): void => {
    const pending = [start];
    for (let root = pending.pop(); root !== undefined; root = pending.pop()) {
      const ids: string[] = [];
      for (let id: string | undefined = root; id !== undefined && !taken.has(id);) {
        taken.add(id);
        ids.push(id);
        const [first, ...rest]: readonly string[] = (children.get(id) ?? []).filter((child) => !taken.has(child));
        pending.push(...rest.toReversed());
        id = first;
      }
      if (ids.length > 0) others.push({ after, ids });
    }
  };
  for (const { id, parent } of nodes) {
    const isTop = parent === null || places.has(parent) || !byId.has(parent);
    if (isTop && !taken.has(id)) follow(id, places.get(parent ?? '') ?? 0);
  }
  // What is left hangs below itself.
  for (const { id } of nodes) if (!taken.has(id)) follow(id, main.length);
  return others;
}
