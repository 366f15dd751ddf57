import type * as z from 'zod';
import type { vaultHealth } from '../../ops/care/vault-health.ts';
import type { activityDiff, undoPreview } from '../../ops/care/history/activity-diff.ts';
import type { activity } from '../../ops/care/history/activity.ts';
import type { pageHistory } from '../../ops/care/history/page-history.ts';
import type { undo } from '../../ops/care/history/history.ts';
import type { knowledgeEpisode } from '../../ops/knowledge/page/episode.ts';
import type { factTimeline } from '../../ops/knowledge/page/fact-timeline.ts';
import type { memoryEntity, memoryMap } from '../../ops/memory/page/memory-map.ts';
import type { codePage } from '../../ops/notes/page/code/code-page.ts';
import type { noteCode } from '../../ops/notes/page/code/note-code.ts';
import type { completeText } from '../../ops/notes/page/edit/complete-text.ts';
import type { createPage } from '../../ops/notes/page/edit/create-page.ts';
import type { listTemplates } from '../../ops/notes/page/edit/list-templates.ts';
import type { editSource, mergeEdit, saveEdit } from '../../ops/notes/page/edit/edit-note.ts';
import type { pageProperties } from '../../ops/notes/page/edit/page-properties.ts';
import type { tickCheckbox } from '../../ops/notes/page/edit/tick-checkbox.ts';
import type { readCanvas } from '../../ops/notes/page/canvas/read-canvas.ts';
import type { readView } from '../../ops/notes/page/bases/read-view.ts';
import type { graphMap } from '../../ops/notes/page/graph-map.ts';
import type { listCheckboxes } from '../../ops/notes/page/checkboxes/list-checkboxes.ts';
import type { attentionList } from '../../ops/notes/page/home/attention.ts';
import type { homePage } from '../../ops/notes/page/home/home-page.ts';
import type { listFolder } from '../../ops/notes/page/list-folder.ts';
import type { moreBacklinks, previewPage, readPage } from '../../ops/notes/page/read-page.ts';
import type { findTitles } from '../../ops/notes/page/find/find-titles.ts';
import type { findWords } from '../../ops/notes/page/find/find-words.ts';
import type { linkMention } from '../../ops/notes/page/find/link-mention.ts';
import type { relatedNotes } from '../../ops/notes/page/find/related-notes.ts';
import type { suggest } from '../../ops/notes/page/find/suggest.ts';
import type { calendarMonth } from '../../ops/notes/page/sidebar/calendar.ts';
import type { filePage } from '../../ops/notes/page/sidebar/file-page.ts';
import type { tagLevel, tagPage } from '../../ops/notes/page/sidebar/tags.ts';
import type { treeFilter, treeLevel } from '../../ops/notes/page/sidebar/tree-level.ts';
import type { unlinkedMentions } from '../../ops/notes/page/unlinked-mentions.ts';
import type { rename } from '../../ops/notes/rename/rename.ts';
import type { updateNode } from '../../ops/notes/write/update-node.ts';
import type { deleteNode } from '../../ops/notes/write/delete-node.ts';
import type { missingPage } from '../../ops/notes/page/past/missing-page.ts';
import type { pageVersion, restoreVersion } from '../../ops/notes/page/past/version.ts';
import type { search } from '../../ops/notes/read/search.ts';
import type { graphOpen } from '../../ops/tasks/graph-open.ts';
import type { graphPlan } from '../../ops/tasks/graph-plan.ts';
import type { graphUpdate } from '../../ops/tasks/graph-update.ts';
import type { claimTask } from '../../ops/tasks/page/claim-task.ts';
import type { taskBoard } from '../../ops/tasks/page/task-board.ts';
import type { resolvePreview, taskDetail } from '../../ops/tasks/page/task-detail.ts';

type Operation =
  | typeof activity
  | typeof activityDiff
  | typeof claimTask
  | typeof codePage
  | typeof completeText
  | typeof createPage
  | typeof listTemplates
  | typeof deleteNode
  | typeof editSource
  | typeof findTitles
  | typeof attentionList
  | typeof calendarMonth
  | typeof factTimeline
  | typeof filePage
  | typeof findWords
  | typeof linkMention
  | typeof graphMap
  | typeof graphOpen
  | typeof graphPlan
  | typeof graphUpdate
  | typeof homePage
  | typeof knowledgeEpisode
  | typeof listCheckboxes
  | typeof listFolder
  | typeof memoryEntity
  | typeof memoryMap
  | typeof mergeEdit
  | typeof missingPage
  | typeof moreBacklinks
  | typeof noteCode
  | typeof pageHistory
  | typeof pageProperties
  | typeof pageVersion
  | typeof previewPage
  | typeof readCanvas
  | typeof readPage
  | typeof readView
  | typeof relatedNotes
  | typeof resolvePreview
  | typeof rename
  | typeof saveEdit
  | typeof restoreVersion
  | typeof search
  | typeof suggest
  | typeof tagLevel
  | typeof tagPage
  | typeof taskBoard
  | typeof taskDetail
  | typeof tickCheckbox
  | typeof treeFilter
  | typeof treeLevel
  | typeof undo
  | typeof undoPreview
  | typeof unlinkedMentions
  | typeof updateNode
  | typeof vaultHealth;

/** An operation that the page calls. */
export type OperationName = Operation['name'];

type Named<Name extends OperationName> = Extract<Operation, { readonly name: Name }>;

/** The arguments of an operation, by its schema. */
export type Arguments<Name extends OperationName> = z.input<Named<Name>['input']>;

export type Result<Name extends OperationName> = Awaited<ReturnType<Named<Name>['run']>>;
