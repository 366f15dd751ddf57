import * as z from 'zod';
import { TaskGraph } from '../../../graph/tasks/task-graph.ts';
import type { Vault } from '../../../vault/vault.ts';
import { listNowhere } from '../../names/nowhere.ts';
import { defineOperation } from '../../operation.ts';

/** The type of notes that only hold relations of a name without an entity. */
const PLACEHOLDER = 'placeholder';

/** Returns the figures of a vault, and the version they belong to (E-33). */
export const vaultStats = defineOperation({
  name: 'vault_stats',
  toolset: null,
  title: 'Figures of the vault',
  summary:
    'How many notes, links, tags, attachments, tasks and entities there are, what history and trash take, how much is embedded, and the version of the vault.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  async run({ vault }) {
    const version = await vault.history.version();
    await vault.search.embeddings.ensureLoaded();
    const { graph } = vault;
    const { config } = vault.settings;
    let [links, hidden] = [0, 0];
    for (const { path, isHidden } of graph.entries({ includeHidden: true })) {
      links += graph.links(path).length;
      if (isHidden) hidden += 1;
    }
    const entities = [...graph.entries({ under: config.memory.root, includeHidden: true })].filter(({ type }) => type !== PLACEHOLDER);
    return {
      version,
      notes: graph.size,
      hidden,
      links,
      unresolved: listNowhere(vault).length,
      tags: graph.facets.tags().length,
      attachments: [...graph.attachments()].length,
      tasks: countTasks(vault),
      entities: entities.length,
      ...vault.health.sizes(),
      meaning: vault.search.embeddings.status(),
    };
  },
});

function countTasks(vault: Vault): { readonly projects: number; readonly total: number; readonly open: number } {
  const tasks = new TaskGraph(vault.graph, vault.settings.config.tasks.root, (id, paths) => vault.history.findOriginal(id, paths));
  try {
    const projects = tasks.projects();
    const sum = (of: 'total' | 'unresolved'): number => projects.reduce((all, { counts }) => all + counts[of], 0);
    return { projects: projects.length, total: sum('total'), open: sum('unresolved') };
  } finally {
    tasks.close();
  }
}
