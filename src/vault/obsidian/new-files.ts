import { folderOf, isVaultPath, joinPath } from '../../note/path.ts';
import { textSetting } from './settings-file.ts';
import type { ObsidianSettings } from './settings-file.ts';

/** Where a vault puts new files when no folder is given (`.obsidian/app.json`, E-26). */
export interface NewFilePlaces {
  /** The folder of new notes; `''` for the root. */
  readonly notes: string;
  /** Returns the folder for attachments of a note; null when the settings do not say. */
  attachments(notePath: string): string | null;
}

/** Reads these folders from Obsidian's settings, ignoring those outside of the vault. */
export function newFilePlaces(app: ObsidianSettings): NewFilePlaces {
  const folder = app['newFileLocation'] === 'folder' ? textSetting(app, 'newFileFolderPath') : undefined;
  const attachments = textSetting(app, 'attachmentFolderPath');
  return {
    notes: insideOr(folder ?? '', ''),
    attachments(notePath) {
      if (attachments === undefined) return null;
      const below = /^\.\/(.*)$/.exec(attachments)?.[1];
      if (below !== undefined) return insideOr(joinPath(folderOf(notePath), below).replace(/(?<!\/)\/+$/, ''), null);
      return attachments === '/' ? '' : insideOr(attachments, null);
    },
  };
}

function insideOr<T>(folder: string, otherwise: T): string | T {
  const path = folder.replace(/^\/+|(?<!\/)\/+$/g, '');
  return path === '' || isVaultPath(path) ? path : otherwise;
}
