import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { get } from './get.ts';
import { git, mergeDriver } from './git.ts';
import { init } from './init.ts';
import { backlinks, deadends, links, orphans, unresolved } from './links.ts';
import { mcp } from './mcp.ts';
import { exportCommand, importCommand, key } from './memory.ts';
import { history, restore, undo } from './past.ts';
import { search } from './search.ts';
import { serve } from './serve.ts';
import { hubs, path, tags } from './walk.ts';
import { create, move, remove, rename, update } from './write.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  mcp,
  serve,
  init,
  search,
  get,
  links,
  backlinks,
  unresolved,
  orphans,
  deadends,
  tags,
  path,
  hubs,
  create,
  update,
  rename,
  move,
  remove,
  restore,
  history,
  undo,
  importCommand,
  exportCommand,
  key,
  doctor,
  git,
  mergeDriver,
];
