import type { Operation } from '../../operation.ts';
import { codePage } from './code/code-page.ts';
import { noteCode } from './code/note-code.ts';
import { completeText } from './edit/complete-text.ts';
import { createPage } from './edit/create-page.ts';
import { listTemplates } from './edit/list-templates.ts';
import { editSource, mergeEdit, saveEdit } from './edit/edit-note.ts';
import { listCheckboxes } from './checkboxes/list-checkboxes.ts';
import { pageProperties } from './edit/page-properties.ts';
import { tickCheckbox } from './edit/tick-checkbox.ts';
import { readView } from './bases/read-view.ts';
import { readCanvas } from './canvas/read-canvas.ts';
import { graphMap } from './graph-map.ts';
import { attentionList } from './home/attention.ts';
import { homePage } from './home/home-page.ts';
import { listFolder } from './list-folder.ts';
import { moreBacklinks, previewPage, readPage } from './read-page.ts';
import { findTitles } from './find/find-titles.ts';
import { findWords } from './find/find-words.ts';
import { linkMention } from './find/link-mention.ts';
import { relatedNotes } from './find/related-notes.ts';
import { suggest } from './find/suggest.ts';
import { calendarMonth } from './sidebar/calendar.ts';
import { filePage } from './sidebar/file-page.ts';
import { tagLevel, tagPage } from './sidebar/tags.ts';
import { treeFilter, treeLevel } from './sidebar/tree-level.ts';
import { missingPage } from './past/missing-page.ts';
import { pageVersion, restoreVersion } from './past/version.ts';
import { unlinkedMentions } from './unlinked-mentions.ts';

export const notePageOperations: readonly Operation[] = [
  readPage,
  previewPage,
  moreBacklinks,
  unlinkedMentions,
  homePage,
  attentionList,
  suggest,
  findTitles,
  findWords,
  relatedNotes,
  linkMention,
  listFolder,
  graphMap,
  completeText,
  createPage,
  listTemplates,
  pageProperties,
  editSource,
  mergeEdit,
  saveEdit,
  tickCheckbox,
  listCheckboxes,
  readView,
  treeLevel,
  treeFilter,
  tagLevel,
  tagPage,
  calendarMonth,
  filePage,
  readCanvas,
  pageVersion,
  restoreVersion,
  missingPage,
  noteCode,
  codePage,
];
