import { folderOf, isVaultPath, joinPath } from '../../note/path.ts';
import { textSetting } from './settings-file.ts';
import type { ObsidianSettings } from './settings-file.ts';

/** Where a vault puts what is made in it without a word of where (`.obsidian/app.json`, E-26). */
export interface NewFilePlaces {
  /** The folder of a new note; `''` for the root. */
  readonly notes: string;
  /** The folder of a file that belongs to a note; null where the vault says nothing of it. */
  attachments(notePath: string): string | null;
}

/** The places that the settings name; those outside of the vault are none. */
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
