import { isDeepStrictEqual } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { GraphView } from '../graph/view.ts';
import type { Log } from '../ports.ts';
import type { FileReader } from '../store/folder/file-system.ts';
import { linkStyleOf } from './links/link-style.ts';
import type { LinkStyle } from './links/link-style.ts';
import { parseObsidianSettings, readObsidianFile } from './obsidian/settings-file.ts';
import type { ObsidianFile, ObsidianSettings } from './obsidian/settings-file.ts';
import { openHiddenRules } from './sync/hidden/hidden-rules.ts';
import type { HiddenRules } from './sync/hidden/hidden-rules.ts';
import type { Sync } from './sync/sync.ts';
import type { Warnings } from './warnings.ts';

/** The settings of an open vault, roux's and Obsidian's, which can change while it is open. */
export interface VaultSettings {
  readonly config: Config;
  readonly isHidden: (path: string) => boolean;
  /** The folders that the settings call bundles (Open Knowledge Format); `''` is the vault itself. */
  readonly bundles: () => readonly string[];
  readonly linkStyle: () => LinkStyle;
  /** Returns the settings in one of Obsidian's files; empty when there is none. */
  readonly obsidian: (file: ObsidianFile) => ObsidianSettings;
  /** Applies new settings and re-reads Obsidian's if their file changed. Returns true when other notes may be hidden now. */
  apply(config: Config): boolean;
}

/** Cause of the warning about settings that are not applied. */
const UNTRUSTED = 'untrusted settings';

const APP_SETTINGS = '.obsidian/app.json';
const RACY_AGE_MS = 50;

/**
 * Creates the settings of a vault. Settings that are not applied are logged to `log` at once; it is null for a process that follows nothing
 * and so does nothing by itself, where `roux doctor` reports them.
 */
export function createVaultSettings(start: Config, files: FileReader, warnings: Warnings, log: Pick<Log, 'warn'> | null): VaultSettings {
  let config = start;
  let stamp = stampOf(files, '') ?? '';
  let app = { stamp, text: readObsidianFile(files, 'app.json') };
  let readable: string | null = null;
  let rules = openRules();
  warnOfUntrusted();
  if (start.untrusted !== undefined) log?.warn(start.untrusted);

  function warnOfUntrusted(): void {
    if (config.untrusted === undefined) warnings.clear(UNTRUSTED);
    else warnings.set(UNTRUSTED, config.untrusted);
  }

  /** Returns the text of Obsidian's settings, read again if the file changed. */
  function appSettings(): string | null {
    const now = stampOf(files, app.stamp);
    if (now === null || now !== app.stamp) app = { stamp: now ?? '', text: readObsidianFile(files, 'app.json') };
    return app.text;
  }

  /** Obsidian rewrites its settings while it runs. A half-written file is reported, and the last readable version stays in force. */
  function openRules(): HiddenRules {
    const text = appSettings();
    const warn = (warning: string): void => warnings.set(warning, warning);
    const opened = openHiddenRules({ ignore: config.ignore, obsidianSettings: text, warn });
    for (const warning of opened.warnings) warnings.set(warning, warning);
    if (opened.isReadable) readable = text;
    return opened.isReadable
      ? opened
      : { ...openHiddenRules({ ignore: config.ignore, obsidianSettings: readable, warn }), warnings: opened.warnings };
  }

  return {
    get config() {
      return config;
    },
    isHidden: (path) => rules.isHidden(path),
    bundles: () => config.okf.bundles.map((folder) => (folder === '.' ? '' : folder)),
    linkStyle: () => linkStyleOf(config, appSettings()),
    obsidian: (file) => parseObsidianSettings(readObsidianFile(files, file) ?? ''),
    apply(next) {
      const now = stampOf(files, stamp) ?? stamp;
      const isSame = now === stamp && isDeepStrictEqual(next.ignore, config.ignore);
      config = next;
      warnOfUntrusted();
      if (isSame) return false;
      stamp = now;
      for (const warning of rules.warnings) warnings.clear(warning);
      rules = openRules();
      return true;
    },
  };
}

/** Notes checked before yielding to other work. */
const NOTES_PER_STEP = 50;

/** Updates which notes of the graph are hidden, by reading those again whose state changed. */
export async function updateHidden(parts: { graph: GraphView; sync: Sync; isHidden: (path: string) => boolean }): Promise<void> {
  const { graph, sync, isHidden } = parts;
  const entries = [...graph.entries({ includeHidden: true })];
  for (let at = 0; at < entries.length; at += NOTES_PER_STEP) {
    const other = entries.slice(at, at + NOTES_PER_STEP).filter((entry) => entry.isHidden !== isHidden(entry.path));
    const paths = other.map(({ path }): string => path);
    if (paths.length > 0) {
      sync.forget(paths);
      sync.look(paths);
    }
    await setImmediate();
  }
}

/**
 * Returns a text that differs for each state of the settings file, and always for one so recently written that a change could go unnoticed
 * within the resolution of its times; empty where there is none. Null while the vault itself is gone: its settings stay, and whoever reads or
 * writes reports that. `before`: the stamp of the last look.
 */
function stampOf(files: FileReader, before: string): string | null {
  try {
    // Whether the vault is there matters only to settings that there were.
    const state = files.hint(APP_SETTINGS) ?? (before === '' ? null : files.stat(APP_SETTINGS));
    if (state === null) return '';
    const isRacy = files.now() - Number(state.mtimeNs / 1_000_000n) < RACY_AGE_MS;
    return `${state.ino} ${state.size} ${state.mtimeNs} ${state.ctimeNs} ${isRacy ? files.now() : ''}`;
  } catch {
    return null;
  }
}
