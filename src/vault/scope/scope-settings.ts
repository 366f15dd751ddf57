import type { FolderScope } from '../../folder-globs.ts';
import { isRecord } from '../../is-record.ts';
import { newFilePlaces } from '../obsidian/new-files.ts';
import type { ObsidianFile, ObsidianSettings } from '../obsidian/settings-file.ts';
import type { Settings } from '../vault.ts';

/** Settings that name a folder or a note. */
const PATH_SETTINGS: ReadonlySet<string> = new Set(['folder', 'template', 'newFileFolderPath', 'attachmentFolderPath']);

/** Limits settings to some folders: those of Obsidian name nothing outside. */
export function scopeSettings(whole: Settings, folders: FolderScope): Settings {
  return withObsidian(whole, (file) => putNewNotesInside(file, insideOnly(whole.obsidian(file), folders), folders));
}

/** Returns the settings for a caller that may write in some folders only: new notes go there. */
export function writeSettings(whole: Settings, folders: FolderScope): Settings {
  return withObsidian(whole, (file) => putNewNotesInside(file, whole.obsidian(file), folders));
}

function withObsidian(whole: Settings, obsidian: Settings['obsidian']): Settings {
  return {
    root: whole.root,
    isShared: whole.isShared,
    isInRepository: () => whole.isInRepository(),
    get config() {
      return whole.config;
    },
    configure: (config) => whole.configure(config),
    linkStyle: () => whole.linkStyle(),
    obsidian,
    isHidden: (path) => whole.isHidden(path),
  };
}

/** Puts the first of the folders in the place of that of new notes, if that one is outside. */
function putNewNotesInside(file: ObsidianFile, settings: ObsidianSettings, folders: FolderScope): ObsidianSettings {
  if (file !== 'app.json' || isInside(newFilePlaces(settings).notes, folders)) return settings;
  return { ...settings, newFileLocation: 'folder', newFileFolderPath: folders.home };
}

function insideOnly(settings: ObsidianSettings, folders: FolderScope): ObsidianSettings {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]): readonly [string, unknown][] => {
      if (isRecord(value)) return [[key, insideOnly(value, folders)]];
      return PATH_SETTINGS.has(key) && typeof value === 'string' && !isInside(value, folders) ? [] : [[key, value]];
    }),
  );
}

function isInside(place: string, folders: FolderScope): boolean {
  // `./files` is relative to each note.
  if (place.startsWith('./')) return true;
  const path = place.trim().replace(/^\/+|(?<!\/)\/+$/g, '');
  return folders.has(path) || folders.has(`${path}.md`) || folders.has(`${path === '' ? '' : `${path}/`}any.md`);
}
