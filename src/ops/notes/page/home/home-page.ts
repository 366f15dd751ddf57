import * as z from 'zod';
import { openCounts } from '../../read/open-counts.ts';
import { defineOperation } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { shorten } from '../../../shorten.ts';
import { projectName, tasksOf } from '../../../../vault/task-graph.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { findToday } from '../sidebar/calendar.ts';
import { listPinned } from './pinned.ts';
import { isoTime } from '../../../../note/iso-date.ts';
import { folderOf } from '../../../../note/path.ts';
import { newestNotes } from '../../../lists/newest-notes.ts';
import { kindOf } from '../find/note-kind.ts';

/** Ready tasks and recent notes that are listed. */
const MAX_TASKS = 8;
const MAX_RECENT = 10;
/** Notes with the most links, listed where nothing is pinned. */
const MAX_HUBS = 5;
const MAX_SUMMARY_CHARACTERS = 200;

/** What of an overview is not known while the vault is read. */
const NOT_KNOWN = {
  attachments: 0,
  tags: 0,
  hubs: [] as ReturnType<typeof listHubs>,
  tasks: { projects: 0, open: 0, ready_count: 0, ready: [] as ReturnType<typeof listReadyTasks>['ready'] },
  health: { unresolved: 0, ambiguous: 0, unreadable: 0, stale: 0, orphans: 0 },
  wanted: [] as { readonly linkpath: string; readonly count: number }[],
  warnings: [] as readonly string[],
};

/** Returns an overview: the size of the vault, where to begin, ready tasks, and findings. Recent writes are in `activity`. */
export const homePage = defineOperation({
  name: 'home_page',
  toolset: null,
  title: 'Home',
  summary:
    'A vault at a glance: its size, notes changed last, pinned notes, tasks that are ready, and findings that are known without looking into every note.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'part',
  input: z.strictObject({}),
  async run(context) {
    const { vault } = context;
    await vault.refresh('changed');
    const { graph } = vault;
    const pinned = listPinned(vault);
    const overview = {
      notes: graph.listed({}).size,
      recent: listRecent(context),
      today: await findToday(context),
      pinned,
    };
    // Of a part of the notes no link is known to lead nowhere, and no task to be ready.
    if (vault.health.readingProgress() !== null) return { ...overview, ...NOT_KNOWN, is_partly: true };
    const counts = await vault.derived(openCounts)();
    return {
      ...overview,
      ...counts.size,
      hubs: pinned.length > 0 ? [] : listHubs(vault),
      tasks: listReadyTasks(vault),
      health: counts.health,
      wanted: graph.mostWanted(5).map(({ linkpath, count }) => ({ linkpath: shorten(linkpath, 200), count })),
      warnings: await vault.health.alerts(),
      is_partly: false,
    };
  },
});

/** Leaves out tasks, memory and facts, of which agents write more than a person reads; `activity` has them. */
function listRecent({ vault, config }: OperationContext) {
  return newestNotes(vault.graph, MAX_RECENT, { isWanted: ({ path }) => kindOf(config, path) === 'note' }).map(
    ({ path, title, stamp }) => ({ path, title, folder: folderOf(path), updated: isoTime(stamp.mtimeNs) }),
  );
}

function listHubs({ graph }: Vault) {
  return graph.walk
    .hubs({ metric: 'in_degree', limit: MAX_HUBS })
    .filter(({ score }) => score > 1)
    .map(({ entry: { path, title } }) => ({ path, title }));
}

function listReadyTasks(vault: Vault) {
  const projects = tasksOf(vault).projects();
  const ready = projects.flatMap((project) => {
    const title = projectName(vault.graph, project);
    const first = [];
    for (const { note } of project.ranked()) {
      if (
        first.push({ id: note.id, path: note.path, summary: shorten(note.summary, MAX_SUMMARY_CHARACTERS), project: title }) === MAX_TASKS
      )
        break;
    }
    return first;
  });
  return {
    projects: projects.length,
    open: projects.reduce((sum, project) => sum + project.counts.unresolved, 0),
    ready_count: projects.reduce((sum, project) => sum + project.counts.actionable, 0),
    ready: ready.slice(0, MAX_TASKS),
  };
}
