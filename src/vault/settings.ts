import { isDeepStrictEqual } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { GraphView } from '../graph/view.ts';
import type { FileReader } from '../store/folder/file-system.ts';
import { linkStyleOf } from './links/link-style.ts';
import type { LinkStyle } from './links/link-style.ts';
import { readObsidianSettings } from './read-files.ts';
import { openHiddenRules } from './sync/hidden-rules.ts';
import type { Sync } from './sync/sync.ts';
import type { Warnings } from './warnings.ts';

/** The settings of an open vault, roux's and Obsidian's, which may change while it is open. */
export interface VaultSettings {
  readonly config: Config;
  readonly isHidden: (path: string) => boolean;
  readonly linkStyle: () => LinkStyle;
  /** Takes over settings, and those of Obsidian as they are now, at the cost of one look at its file. True when other notes may be hidden. */
  follow(config: Config): boolean;
}

const APP_SETTINGS = '.obsidian/app.json';

/** The settings that a vault is opened with. */
export function openVaultSettings(start: Config, files: FileReader, warnings: Warnings): VaultSettings {
  let config = start;
  let stamp = stampOf(files);
  let rules = openRules();

  function openRules() {
    const opened = openHiddenRules({ ignore: config.ignore, obsidianSettings: readObsidianSettings(files) });
    for (const warning of opened.warnings) warnings.set(warning, warning);
    return opened;
  }

  return {
    get config() {
      return config;
    },
    isHidden: (path) => rules.isHidden(path),
    linkStyle: () => linkStyleOf(config, readObsidianSettings(files)),
    follow(next) {
      const now = stampOf(files);
      if (now === stamp && isDeepStrictEqual(next.ignore, config.ignore)) {
        config = next;
        return false;
      }
      config = next;
      const before = rules;
      for (const warning of before.warnings) warnings.clear(warning);
      rules = openRules();
      // Obsidian rewrites its settings while it runs: half of a file hides nothing anew, and is looked at again.
      if (rules.isReadable) stamp = now;
      else rules = { ...before, warnings: rules.warnings };
      return true;
    },
  };
}

/** So many notes are read again before others get their turn. */
const STEP = 50;

/** Brings into the graph which notes are hidden now: those that were not before, and the other way round, are read again. */
export async function rehide(parts: { graph: GraphView; sync: Sync; isHidden: (path: string) => boolean }): Promise<void> {
  const { graph, sync, isHidden } = parts;
  const other = [...graph.entries({ includeHidden: true })].filter((entry) => entry.isHidden !== isHidden(entry.path));
  for (let at = 0; at < other.length; at += STEP) {
    const paths = other.slice(at, at + STEP).map(({ path }): string => path);
    sync.forget(paths);
    sync.look(paths);
    await setImmediate();
  }
}

/** Of no state of the file that a change could hide behind: a file so young may change again within the grain of its times. */
function stampOf(files: FileReader): string {
  const state = files.stat(APP_SETTINGS);
  if (state === null) return '';
  const isYoung = files.now() - Number(state.mtimeNs / 1_000_000n) < YOUNG;
  return `${state.ino} ${state.size} ${state.mtimeNs} ${state.ctimeNs} ${isYoung ? files.now() : ''}`;
}

const YOUNG = 50;
