import { isDeepStrictEqual } from 'node:util';
import { listSettings } from '../../config.ts';
import type { Config, Settings } from '../../config.ts';
import { errorMessage } from '../../errors.ts';

/** A source of settings that may change while a vault is served. */
export interface ConfigSource {
  /** Returns a text that differs whenever a settings file may have changed. */
  stamp(): string;
  /** Reads all settings again; throws `INVALID_CONFIG` if they are invalid. */
  load(): Config;
}

/**
 * Settings, or whole sections, that only take effect at a start, since they determine what the process offers, where it listens, and how
 * its indexes and disk are used.
 */
const START_SETTINGS: readonly string[] = [
  'toolsets',
  'tools',
  'readOnly',
  'structured',
  'durability',
  'trashDays',
  'repairExternalRenames',
  'tasks.root',
  'memory.root',
  'knowledge.root',
  'http',
  'embeddings',
  'embed',
  'extract',
  'ocr',
  'log',
];

/**
 * Returns a function that gives the settings for a call: those on the disk now, except for the ones that only take effect at a start. A
 * warning names those that changed.
 */
export function createLiveConfig(start: Config, source: ConfigSource | null): () => Settings {
  if (source === null) return () => ({ config: start, warnings: [] });
  let settings: Settings = { config: start, warnings: [] };
  let stamp = source.stamp();
  return () => {
    const now = source.stamp();
    if (now === stamp) return settings;
    stamp = now;
    try {
      const loaded = source.load();
      settings = {
        config: keepStartSettings(loaded, start),
        warnings: [...describeUnapplied(loaded, start), ...newlyUntrusted(loaded, start)],
      };
    } catch (error) {
      settings = { ...settings, warnings: [`${errorMessage(error)} Until then the settings from before hold.`] };
    }
    return settings;
  };
}

function keepStartSettings(loaded: Config, start: Config): Config {
  const { toolsets, tools, readOnly, durability, trashDays, repairExternalRenames, http, embeddings, embed, extract, ocr, log } = start;
  const { tools: _tools, ...others } = loaded;
  return {
    ...others,
    ...(tools === undefined ? {} : { tools }),
    toolsets,
    readOnly,
    durability,
    trashDays,
    repairExternalRenames,
    http,
    embeddings,
    embed,
    extract,
    ocr,
    log,
    tasks: { ...loaded.tasks, root: start.tasks.root },
    memory: { ...loaded.memory, root: start.memory.root },
    knowledge: { ...loaded.knowledge, root: start.knowledge.root },
  };
}

function describeUnapplied(loaded: Config, start: Config): readonly string[] {
  const keys = listSettings()
    .map(({ key }) => key)
    .filter((key) => START_SETTINGS.some((fixed) => key === fixed || key.startsWith(`${fixed}.`)))
    .filter((key) => !isDeepStrictEqual(valueAt(loaded, key), valueAt(start, key)));
  if (keys.length === 0) return [];
  return [`${keys.join(', ')} changed in the settings while this server runs; restart it, until then what it started with holds.`];
}

/** Returns the warning about untrusted settings, unless it was given at the start. */
function newlyUntrusted({ untrusted }: Config, start: Config): readonly string[] {
  return untrusted === undefined || untrusted === start.untrusted ? [] : [untrusted];
}

function valueAt(config: Config, key: string): unknown {
  let value: unknown = config;
  for (const part of key.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  return value;
}
