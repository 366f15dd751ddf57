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

/** The settings of an open vault, roux's and Obsidian's, which may change while it is open. */
export interface VaultSettings {
  readonly config: Config;
  readonly isHidden: (path: string) => boolean;
  readonly linkStyle: () => LinkStyle;
  /** What a file of Obsidian's settings holds now; nothing where there is none. */
  readonly obsidian: (file: ObsidianFile) => ObsidianSettings;
  /** Takes over settings, and those of Obsidian as they are now, at the cost of one look at its file. True when other notes may be hidden. */
  follow(config: Config): boolean;
}

/** Under this cause a warning names settings that are not applied. */
const UNTRUSTED = 'untrusted settings';

const APP_SETTINGS = '.obsidian/app.json';

/**
 * The settings that a vault is opened with. `log`: where those are named at once that are not applied; null for whoever follows nothing and
 * so does nothing by itself: there they are a finding of the doctor's, and no news at every command.
 */
export function openVaultSettings(start: Config, files: FileReader, warnings: Warnings, log: Pick<Log, 'warn'> | null): VaultSettings {
  let config = start;
  let stamp = stampOf(files) ?? '';
  let readable: string | null = null;
  let rules = openRules();
  warnOfUntrusted();
  if (start.untrusted !== undefined) log?.warn(start.untrusted);

  function warnOfUntrusted(): void {
    if (config.untrusted === undefined) warnings.clear(UNTRUSTED);
    else warnings.set(UNTRUSTED, config.untrusted);
  }

  /** Obsidian rewrites its settings while it runs: of half a file it is told, and what was read last goes on. */
  function openRules(): HiddenRules {
    const text = readObsidianFile(files, 'app.json');
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
    linkStyle: () => linkStyleOf(config, readObsidianFile(files, 'app.json')),
    obsidian: (file) => parseObsidianSettings(readObsidianFile(files, file) ?? ''),
    follow(next) {
      const now = stampOf(files) ?? stamp;
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

/** So many notes are looked at before others get their turn. */
const STEP = 50;

/** Brings into the graph which notes are hidden now: those that were not before, and the other way round, are read again. */
export async function rehide(parts: { graph: GraphView; sync: Sync; isHidden: (path: string) => boolean }): Promise<void> {
  const { graph, sync, isHidden } = parts;
  const entries = [...graph.entries({ includeHidden: true })];
  for (let at = 0; at < entries.length; at += STEP) {
    const other = entries.slice(at, at + STEP).filter((entry) => entry.isHidden !== isHidden(entry.path));
    const paths = other.map(({ path }): string => path);
    if (paths.length > 0) {
      sync.forget(paths);
      sync.look(paths);
    }
    await setImmediate();
  }
}

/**
 * Another text for each state of the file, and for one so young that a change could hide behind it, within the grain of its times.
 * Null where the vault itself is away: its settings are what they were, and whoever reads or writes tells of it.
 */
function stampOf(files: FileReader): string | null {
  try {
    const state = files.stat(APP_SETTINGS);
    if (state === null) return '';
    const isYoung = files.now() - Number(state.mtimeNs / 1_000_000n) < YOUNG;
    return `${state.ino} ${state.size} ${state.mtimeNs} ${state.ctimeNs} ${isYoung ? files.now() : ''}`;
  } catch {
    return null;
  }
}

const YOUNG = 50;
