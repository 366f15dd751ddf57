import { undo } from '../care/history/history.ts';
import type { Operation } from '../operation.ts';
import { graphMap } from './graph/graph-map.ts';
import { memoryEntity, memoryMap } from './memory-map.ts';
import { knowledgeEpisode } from './knowledge/episode.ts';
import { factTimeline } from './knowledge/fact-timeline.ts';
import { homePage } from './notes/home-page.ts';
import { listFolder } from './notes/list-folder.ts';
import { pageHistory } from './notes/note-history.ts';
import { moreBacklinks, previewPage, readPage } from './notes/read-page.ts';
import { suggest } from './notes/suggest.ts';
import { unlinkedMentions } from './notes/unlinked-mentions.ts';
import { activity } from './history/activity.ts';
import { activityDiff, undoPreview } from './history/activity-diff.ts';
import { taskBoard } from './tasks/task-board.ts';
import { resolvePreview, taskDetail } from './tasks/task-detail.ts';

/** Internal operations of the web page. None is a tool. */
export const pageOperations: readonly Operation[] = [
  readPage,
  previewPage,
  moreBacklinks,
  unlinkedMentions,
  pageHistory,
  homePage,
  suggest,
  listFolder,
  graphMap,
  taskBoard,
  taskDetail,
  resolvePreview,
  memoryMap,
  memoryEntity,
  factTimeline,
  knowledgeEpisode,
  activity,
  activityDiff,
  undoPreview,
  undo,
];
