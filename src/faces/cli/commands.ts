import type { Command } from './command.ts';

/** Where each command is, in the order of the help. Starting the program loads the one that runs. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  mcp: async () => (await import('./mcp.ts')).mcp,
  serve: async () => (await import('./serve.ts')).serve,
  init: async () => (await import('./init.ts')).init,
  search: async () => (await import('./search.ts')).search,
  get: async () => (await import('./get.ts')).get,
  links: async () => (await import('./links.ts')).links,
  backlinks: async () => (await import('./links.ts')).backlinks,
  unresolved: async () => (await import('./links.ts')).unresolved,
  orphans: async () => (await import('./links.ts')).orphans,
  deadends: async () => (await import('./links.ts')).deadends,
  tags: async () => (await import('./walk.ts')).tags,
  path: async () => (await import('./walk.ts')).path,
  hubs: async () => (await import('./walk.ts')).hubs,
  create: async () => (await import('./write.ts')).create,
  update: async () => (await import('./write.ts')).update,
  rename: async () => (await import('./write.ts')).rename,
  move: async () => (await import('./write.ts')).move,
  delete: async () => (await import('./write.ts')).remove,
  next: async () => (await import('./tasks.ts')).next,
  plan: async () => (await import('./tasks.ts')).plan,
  done: async () => (await import('./tasks.ts')).done,
  tree: async () => (await import('./tree.ts')).tree,
  restore: async () => (await import('./past.ts')).restore,
  history: async () => (await import('./past.ts')).history,
  undo: async () => (await import('./past.ts')).undo,
  import: async () => (await import('./memory.ts')).importCommand,
  export: async () => (await import('./memory.ts')).exportCommand,
  key: async () => (await import('./memory.ts')).key,
  doctor: async () => (await import('./doctor.ts')).doctor,
  git: async () => (await import('./git.ts')).git,
  'merge-driver': async () => (await import('./git.ts')).mergeDriver,
};

/** The names of all commands. */
export const commandNames: readonly string[] = Object.keys(COMMANDS);

/** The command of a name, or null. */
export async function findCommand(name: string): Promise<Command | null> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return load === undefined ? null : load();
}

/** Every command, in the order of the help. */
export function listCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
