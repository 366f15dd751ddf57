import type { Command } from './command.ts';

/** Loads each command by its name, in the order of the help. A start imports only the command that runs. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  mcp: async () => (await import('./serve/mcp.ts')).mcp,
  serve: async () => (await import('./serve/serve.ts')).serve,
  token: async () => (await import('./serve/tokens/token.ts')).token,
  demo: async () => (await import('./serve/demo.ts')).demo,
  publish: async () => (await import('./publish/publish.ts')).publish,
  share: async () => (await import('./sharing/share.ts')).share,
  clone: async () => (await import('./sharing/clone.ts')).clone,
  unshare: async () => (await import('./sharing/unshare.ts')).unshare,
  init: async () => (await import('./serve/init.ts')).init,
  trust: async () => (await import('./serve/trust.ts')).trust,
  prime: async () => (await import('./sessions/prime.ts')).prime,
  search: async () => (await import('./reads/search.ts')).search,
  list: async () => (await import('./reads/rows.ts')).list,
  base: async () => (await import('./reads/rows.ts')).base,
  get: async () => (await import('./reads/get.ts')).get,
  links: async () => (await import('./reads/links.ts')).links,
  backlinks: async () => (await import('./reads/links.ts')).backlinks,
  unresolved: async () => (await import('./reads/links.ts')).unresolved,
  orphans: async () => (await import('./reads/links.ts')).orphans,
  deadends: async () => (await import('./reads/links.ts')).deadends,
  tags: async () => (await import('./reads/walk.ts')).tags,
  path: async () => (await import('./reads/walk.ts')).path,
  duplicates: async () => (await import('./reads/duplicates.ts')).duplicates,
  related: async () => (await import('./reads/walk.ts')).related,
  hubs: async () => (await import('./reads/walk.ts')).hubs,
  stats: async () => (await import('./reads/stats.ts')).stats,
  history: async () => (await import('./history/history.ts')).history,
  create: async () => (await import('./writes/write.ts')).create,
  new: async () => (await import('./writes/write.ts')).newNote,
  today: async () => (await import('./writes/write.ts')).today,
  update: async () => (await import('./writes/write.ts')).update,
  edit: async () => (await import('./writes/edit.ts')).edit,
  append: async () => (await import('./writes/write.ts')).append,
  rename: async () => (await import('./writes/rename.ts')).rename,
  move: async () => (await import('./writes/rename.ts')).move,
  confirm: async () => (await import('./writes/confirm.ts')).confirm,
  delete: async () => (await import('./writes/write.ts')).remove,
  restore: async () => (await import('./history/restore.ts')).restore,
  undo: async () => (await import('./history/undo.ts')).undo,
  next: async () => (await import('./tasks/tasks.ts')).next,
  plan: async () => (await import('./tasks/tasks.ts')).plan,
  done: async () => (await import('./tasks/tasks.ts')).done,
  tree: async () => (await import('./tasks/tree.ts')).tree,
  tasks: async () => (await import('./tasks/tasks-command.ts')).tasks,
  import: async () => (await import('./care/memory.ts')).importCommand,
  export: async () => (await import('./care/memory.ts')).exportCommand,
  key: async () => (await import('./care/memory.ts')).key,
  ingest: async () => (await import('./knowledge/ingest.ts')).ingest,
  facts: async () => (await import('./knowledge/facts.ts')).facts,
  timeline: async () => (await import('./knowledge/facts.ts')).timeline,
  review: async () => (await import('./care/review.ts')).review,
  doctor: async () => (await import('./care/doctor.ts')).doctor,
  check: async () => (await import('./care/check/check.ts')).check,
  audit: async () => (await import('./care/audit.ts')).audit,
  okf: async () => (await import('./care/okf/okf.ts')).okf,
  fsck: async () => (await import('./care/fsck.ts')).fsck,
  completion: async () => (await import('./complete/completion.ts')).completion,
  git: async () => (await import('./care/git.ts')).git,
  'merge-driver': async () => (await import('./care/git.ts')).mergeDriver,
};

export const commandNames: readonly string[] = Object.keys(COMMANDS);

/** Returns the command with this name, or null. */
export async function findCommand(name: string): Promise<Command | null> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return load === undefined ? null : load();
}

/** Returns every command, in the order of the help. */
export function listCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
