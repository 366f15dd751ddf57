import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listSettings, parseConfig, settingLayer, variableOf } from '../../config.ts';
import type { Config, ConfigLayer } from '../../config.ts';
import { RouxError, errorMessage, systemCode } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { didYouMean } from '../../suggest.ts';
import { readSmallFile } from '../../small-file.ts';
import type { SmallFile } from '../../small-file.ts';
import type { ConfigSource } from './live-config.ts';
import { ALLOW_OTHER_OWNER } from '../folder-owner.ts';
import { MAX_SHARED_FILE_VARIABLE } from '../shared-link.ts';
import { requireOwnFolder, trustedFolders } from '../trusted-folders.ts';
import { userConfigFolder } from '../user-folders.ts';
import { CONFIG_FILE, USER_CONFIG_FILE } from './default-settings.ts';
import { needsTrust, refuseUserSettings, userConfigName } from './vault-settings.ts';

/** Variables that begin with `ROUX_` but are not settings. */
const OTHER_VARIABLES = ['ROUX_VAULT', MAX_SHARED_FILE_VARIABLE, ALLOW_OTHER_OWNER];

/**
 * Loads the settings of a vault. In order of increasing precedence: the vault's `.rouxrc.json`, the user's `config.json`, `ROUX_*`
 * variables, flags. So the user's settings override what came with the folder. Throws `OTHER_OWNER` for a folder of another user.
 */
export function loadConfig(query: ConfigQuery): Config {
  if (query.mayBeOthers !== true) requireOwnFolder(query.vaultRoot, query.env);
  return load(query, () => guessFilenames(query.vaultRoot));
}

/** What to load the settings for. */
export interface ConfigQuery {
  readonly vaultRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The flags that were given, as settings. */
  readonly flags?: readonly ConfigLayer[];
  /** Whether a folder of another user is accepted. */
  readonly mayBeOthers?: boolean;
}

/** Returns a source that reads the settings again when their files change. The guess of how files are named is taken from `before`. */
export function createConfigSource(query: ConfigQuery, before: Config): ConfigSource {
  const files = [join(query.vaultRoot, CONFIG_FILE), join(userConfigFolder(query.env), USER_CONFIG_FILE)];
  return { stamp: () => files.map(stampOf).join('|'), load: () => load(query, () => before.filenames) };
}

/** A file modified this recently may change again without a new modification time. */
const RECENT_MS = 50;

function stampOf(file: string): string {
  try {
    const state = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (state === undefined) return '';
    const { ino, size, mtimeNs, ctimeNs, mtimeMs } = state;
    const isYoung = Date.now() - Number(mtimeMs) < RECENT_MS;
    return `${ino} ${size} ${mtimeNs} ${ctimeNs} ${isYoung ? process.hrtime.bigint() : ''}`;
  } catch (error) {
    return systemCode(error) ?? errorMessage(error);
  }
}

function load({ vaultRoot, env, flags = [] }: ConfigQuery, guess: () => Config['filenames']): Config {
  const { applied, heldBack } = splitByTrust(readVaultFile(vaultRoot, env), vaultRoot);
  const layers = keepLastToolChoice([applied, readUserFile(env), readEnvironment(env), flags]);
  // A held-back setting only matters if no other layer sets it.
  const missed = Object.entries(heldBack).filter(([key]) => !layers.some(({ values }) => values[key] !== undefined));
  const config = { ...parseConfig(layers), ...(missed.length === 0 ? {} : { untrusted: describeHeldSettings(missed) }) };
  if (layers.some((layer) => layer.values['filenames'] !== undefined)) return config;
  return { ...config, filenames: guess() };
}

/** Joins all layers. If a later layer names toolsets, `tools` is removed from the earlier ones, since it would take precedence. */
function keepLastToolChoice(levels: readonly (readonly ConfigLayer[])[]): readonly ConfigLayer[] {
  const says = (level: readonly ConfigLayer[], key: string): boolean => level.some(({ values }) => values[key] !== undefined);
  const last = levels.findLastIndex((level) => says(level, 'toolsets') || says(level, 'tools'));
  return levels.flatMap((level, index) =>
    index < last ? level.map(({ source, values }) => ({ source, values: without(values, ['tools']) })) : level,
  );
}

function without(values: ConfigLayer['values'], keys: readonly string[]): ConfigLayer['values'] {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !keys.includes(name)));
}

function describeHeldSettings(missed: readonly (readonly [string, unknown])[]): string {
  const settings = missed.map(([key, value]) => `"${key}": ${JSON.stringify(value)}`).join(', ');
  return `${CONFIG_FILE} asks for ${settings}, by which roux would change notes by itself. That is not applied, since this folder may have come from elsewhere; "roux trust" applies it from the next start on.`;
}

/** Splits the vault's own settings into those that apply and those that are `heldBack` because they need a trusted folder. */
function splitByTrust(
  own: readonly ConfigLayer[],
  vaultRoot: string,
): { readonly applied: readonly ConfigLayer[]; readonly heldBack: ConfigLayer['values'] } {
  const heldBack = Object.fromEntries(own.flatMap(({ values }) => Object.entries(values).filter(needsTrust)));
  const keys = Object.keys(heldBack);
  if (keys.length === 0 || trustedFolders.has(vaultRoot)) return { applied: own, heldBack: {} };
  return { applied: own.map(({ source, values }) => ({ source, values: without(values, keys) })), heldBack };
}

function readVaultFile(vaultRoot: string, env: Readonly<Record<string, string | undefined>>): readonly ConfigLayer[] {
  const values = readValues(CONFIG_FILE, readSmallFile(join(vaultRoot, CONFIG_FILE)));
  if (values === null) return [];
  refuseUserSettings(CONFIG_FILE, values, env);
  return [{ source: CONFIG_FILE, values }];
}

function readUserFile(env: Readonly<Record<string, string | undefined>>): readonly ConfigLayer[] {
  const source = userConfigName(env);
  const values = readValues(source, readSmallFile(join(userConfigFolder(env), USER_CONFIG_FILE), { followsLinks: true }));
  return values === null ? [] : [{ source, values }];
}

function readValues(name: string, file: SmallFile): Readonly<Record<string, unknown>> | null {
  if (file.kind === 'nothing') return null;
  if (file.kind === 'refused') throw new RouxError('INVALID_CONFIG', `${name} ${file.why}; make it a file that holds a JSON object.`);
  let values: unknown;
  try {
    values = JSON.parse(file.text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new RouxError('INVALID_CONFIG', `${name} is not valid JSON: ${errorMessage(error)}`, undefined, { cause: error });
  }
  if (!isRecord(values)) throw new RouxError('INVALID_CONFIG', `${name} has to hold a JSON object such as {"toolsets": ["all"]}.`);
  return values;
}

function readEnvironment(env: Readonly<Record<string, string | undefined>>): readonly ConfigLayer[] {
  const given = Object.entries(env).filter(([name]) => name.startsWith('ROUX_') && !OTHER_VARIABLES.includes(name));
  // Most start without any, and a list of all settings takes longer to make than the files take to read.
  if (given.length === 0) return [];
  const settings = new Map(listSettings().map(({ key }) => [variableOf(key), key]));
  const layers: ConfigLayer[] = [];
  for (const [name, text] of given.sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (text === undefined || text === '') continue;
    const key = settings.get(name);
    if (key === undefined) {
      const message = `${name}: no such setting${didYouMean(name, settings.keys())} Valid variables: ${[...settings.keys()].join(', ')}.`;
      throw new RouxError('INVALID_CONFIG', message, { key: name });
    }
    layers.push(settingLayer({ source: name, key, value: text }));
  }
  return layers;
}

/**
 * Guesses how files are named: `title` if Obsidian is used or most names contain spaces or capitals, else `slug`. Looks at up to a thousand
 * names.
 */
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
    // Opening the vault will report it; for the guess, the other folders suffice.
    return [];
  }
}
