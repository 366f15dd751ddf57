import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, listSettings, parseConfig, settingLayer } from './config.ts';
import type { Config, ConfigLayer } from './config.ts';
import { RouxError, errorMessage, systemCode } from './errors.ts';
import { didYouMean } from './nearest.ts';

/** The file in a vault's root that configures it. */
export const CONFIG_FILE = '.rouxrc.json';

/** Variables that say where to look, not how to behave. */
const OTHER_VARIABLES = ['ROUX_VAULT'];

/** The configuration of a vault: `.rouxrc.json`, then `ROUX_*` variables, then flags; later ones win. */
export function loadConfig(query: {
  readonly vaultRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Each flag that was given, with the settings it stands for. */
  readonly flags?: readonly ConfigLayer[];
}): Config {
  const layers = [...readFileLayer(query.vaultRoot), ...readEnvironment(query.env), ...(query.flags ?? [])];
  const config = parseConfig(layers);
  if (layers.some((layer) => layer.values['filenames'] !== undefined)) return config;
  return { ...config, filenames: guessFilenames(query.vaultRoot) };
}

function readFileLayer(vaultRoot: string): readonly ConfigLayer[] {
  let text: string;
  try {
    text = readFileSync(join(vaultRoot, CONFIG_FILE), 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw new RouxError('INVALID_CONFIG', `${CONFIG_FILE} cannot be read: ${errorMessage(error)}`, undefined, { cause: error });
  }
  let values: unknown;
  try {
    values = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new RouxError('INVALID_CONFIG', `${CONFIG_FILE} is not valid JSON: ${errorMessage(error)}`, undefined, { cause: error });
  }
  if (!isRecord(values)) throw new RouxError('INVALID_CONFIG', `${CONFIG_FILE} has to hold a JSON object such as {"toolsets": ["all"]}.`);
  return [{ source: CONFIG_FILE, values }];
}

function readEnvironment(env: Readonly<Record<string, string | undefined>>): readonly ConfigLayer[] {
  const settings = new Map(listSettings().map(({ key }) => [variableOf(key), key]));
  const layers: ConfigLayer[] = [];
  for (const [name, text] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!name.startsWith('ROUX_') || OTHER_VARIABLES.includes(name) || text === undefined || text === '') continue;
    const key = settings.get(name);
    if (key === undefined) {
      const message = `${name}: no such setting${didYouMean(name, settings.keys())} Valid variables: ${[...settings.keys()].join(', ')}.`;
      throw new RouxError('INVALID_CONFIG', message, { key: name });
    }
    layers.push(settingLayer({ source: name, key, value: text }));
  }
  return layers;
}

/** `tasks.claimTtlMinutes` is `ROUX_TASKS_CLAIM_TTL_MINUTES`. */
function variableOf(key: string): string {
  return `ROUX_${key.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase();
}

/** `title` where Obsidian is used or most names have spaces or capitals, else `slug`. Looks at the first thousand names. */
function guessFilenames(vaultRoot: string): 'slug' | 'title' {
  if (existsSync(join(vaultRoot, '.obsidian'))) return 'title';
  let [seen, titled, foldersLeft] = [0, 0, 100];
  const folders = [vaultRoot];
  for (let folder = folders.shift(); folder !== undefined && seen < 1000 && foldersLeft > 0; folder = folders.shift(), foldersLeft -= 1) {
    for (const entry of readFolder(folder)) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      else if (/\.md$/i.test(entry.name) && !/^(readme|changelog|license|contributing)\.md$/i.test(entry.name)) {
        seen += 1;
        if (/[\s\p{Lu}]/u.test(entry.name)) titled += 1;
      }
    }
  }
  return titled * 2 > seen ? 'title' : 'slug';
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // An unreadable folder is the vault's to report; for a guess the others are enough.
    return [];
  }
}
