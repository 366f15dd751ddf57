import type { Config } from '../../config.ts';
import { folderOf, foldKey } from '../../note/path.ts';
import { textSetting } from './settings-file.ts';
import type { ObsidianFile, ObsidianSettings } from './settings-file.ts';

/**
 * Returns a function that tells whether settings of roux or Obsidian name a folder: for tasks, memory, knowledge, new notes, attachments,
 * templates or periodic notes. Such a folder is not removed when it is empty.
 */
export function findConfiguredFolders(
  config: Pick<Config, 'tasks' | 'memory' | 'knowledge' | 'periodic'>,
  obsidian: (file: ObsidianFile) => ObsidianSettings,
): (folder: string) => boolean {
  const app = obsidian('app.json');
  const periods: readonly unknown[] = [
    obsidian('daily-notes.json'),
    ...Object.values(obsidian('plugins/periodic-notes/data.json')),
    ...Object.values(config.periodic),
  ];
  const named = [
    config.tasks.root,
    config.memory.root,
    config.knowledge.root,
    textSetting(app, 'newFileFolderPath'),
    textSetting(app, 'attachmentFolderPath'),
    textSetting(obsidian('templates.json'), 'folder'),
    ...periods.map((settings) => textSetting(settings, 'folder')),
    ...periods.map((settings) => folderOf(textSetting(settings, 'template') ?? '')),
  ];
  const folders = new Set(named.flatMap((folder) => (folder === undefined ? [] : foldKey(folder.replace(/^\.?\/+|(?<!\/)\/+$/g, '')))));
  return (folder) => folders.has(foldKey(folder));
}
