import type { Operation } from '../../operation.ts';
import { editSource, mergeEdit, saveEdit } from './edit/edit-note.ts';
import { tickCheckbox } from './edit/tick-checkbox.ts';
import { readView } from './bases/read-view.ts';
import { graphMap } from './graph-map.ts';
import { homePage } from './home-page.ts';
import { listFolder } from './list-folder.ts';
import { moreBacklinks, previewPage, readPage } from './read-page.ts';
import { findTitles } from './find/find-titles.ts';
import { suggest } from './find/suggest.ts';
import { unlinkedMentions } from './unlinked-mentions.ts';

export const notePageOperations: readonly Operation[] = [
  readPage,
  previewPage,
  moreBacklinks,
  unlinkedMentions,
  homePage,
  suggest,
  findTitles,
  listFolder,
  graphMap,
  editSource,
  mergeEdit,
  saveEdit,
  tickCheckbox,
  readView,
];
