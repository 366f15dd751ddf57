import { join } from 'node:path';
import { isRecord } from '../../is-record.ts';
import { readSmallFile } from '../../small-file.ts';

/** The settings file in the root of a vault. */
export const CONFIG_FILE = '.rouxrc.json';

/** The name of the user's own settings file. */
export const USER_CONFIG_FILE = 'config.json';

/** Whether the settings files of a user and a vault change no default: there is none, or the one that `roux init` writes into a vault. */
export function holdDefaults(vaultRoot: string, configFolder: string): boolean {
  if (readSmallFile(join(configFolder, USER_CONFIG_FILE), { followsLinks: true }).kind !== 'nothing') return false;
  const file = readSmallFile(join(vaultRoot, CONFIG_FILE));
  return file.kind === 'nothing' || (file.kind === 'text' && hasDefaults(file.text));
}

function hasDefaults(text: string): boolean {
  try {
    const settings: unknown = JSON.parse(text);
    return (
      isRecord(settings) &&
      Object.entries(settings).every(([key, value]) =>
        key === 'filenames' ? value === 'slug' || value === 'title' : key === 'toolsets' && JSON.stringify(value) === '["default"]',
      )
    );
  } catch {
    return false;
  }
}
