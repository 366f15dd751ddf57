import { isRecord } from '../../is-record.ts';
import type { FileReader } from '../../store/folder/file-system.ts';

/** Settings files of Obsidian and its plugins that roux follows. */
export type ObsidianFile =
  'app.json' | 'bookmarks.json' | 'daily-notes.json' | 'templates.json' | 'types.json' | 'plugins/periodic-notes/data.json';

/** Settings written by another program: no value can be assumed to have the right type. */
export type ObsidianSettings = Readonly<Record<string, unknown>>;

const MAX_BYTES = 1024 * 1024;

/** Reads the text of a settings file of Obsidian; null when there is none. */
export function readObsidianFile(files: FileReader, name: ObsidianFile): string | null {
  try {
    return files.read(`.obsidian/${name}`, { length: MAX_BYTES })?.bytes.toString('utf8') ?? null;
  } catch {
    // Without the settings nothing is hidden or put elsewhere, so nothing is lost.
    return null;
  }
}

/** Parses settings. Obsidian rewrites its files while it runs; a torn file gives no settings. */
export function parseObsidianSettings(json: string): ObsidianSettings {
  try {
    const value: unknown = JSON.parse(json.replace(/^\ufeff/, ''));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Longer than any name, path or format that a person would write. */
const MAX_TEXT_CHARACTERS = 500;

/** Returns a setting that is a non-empty text; undefined for anything else. */
export function textSetting(settings: unknown, key: string): string | undefined {
  const value = isRecord(settings) && Object.hasOwn(settings, key) ? settings[key] : undefined;
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_CHARACTERS ? value.trim() : undefined;
}
