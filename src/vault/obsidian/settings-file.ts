import { isRecord } from '../../is-record.ts';
import type { FileReader } from '../../store/folder/file-system.ts';

/** Files in which Obsidian and its plugins keep settings that roux follows. */
export type ObsidianFile = 'app.json' | 'daily-notes.json' | 'templates.json' | 'plugins/periodic-notes/data.json';

/** Settings as somebody's program wrote them: nothing of them is known to be what it should. */
export type ObsidianSettings = Readonly<Record<string, unknown>>;

const MAX_BYTES = 1024 * 1024;

/** The text of a file of Obsidian's settings; null where there is none. */
export function readObsidianFile(files: FileReader, name: ObsidianFile): string | null {
  try {
    return files.read(`.obsidian/${name}`, { length: MAX_BYTES })?.bytes.toString('utf8') ?? null;
  } catch {
    // Without the settings nothing is hidden or put elsewhere, which loses nobody anything.
    return null;
  }
}

/** Settings in their text. Obsidian rewrites its files while it runs: of a torn one nothing is known. */
export function parseObsidianSettings(json: string): ObsidianSettings {
  try {
    const value: unknown = JSON.parse(json.replace(/^\ufeff/, ''));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Longer than any name, path or format that a person wrote. */
const MAX_TEXT_CHARACTERS = 500;

/** A setting that is a text with something in it; undefined for everything else. */
export function textSetting(settings: unknown, key: string): string | undefined {
  const value = isRecord(settings) && Object.hasOwn(settings, key) ? settings[key] : undefined;
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_CHARACTERS ? value.trim() : undefined;
}
