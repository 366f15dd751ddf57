import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where this user's programs keep what outlives them and belongs to no vault: `$XDG_STATE_HOME/roux`, else `~/.local/state/roux`; on Windows `%LOCALAPPDATA%\roux`. */
export function userStateFolder(env: Environment = process.env): string {
  return process.platform === 'win32' ? folderOf(env['LOCALAPPDATA'], 'AppData/Local') : folderOf(env['XDG_STATE_HOME'], '.local/state');
}

/** Where this user configures programs: `$XDG_CONFIG_HOME/roux`, else `~/.config/roux`; on Windows `%APPDATA%\roux`. */
export function userConfigFolder(env: Environment = process.env): string {
  return process.platform === 'win32' ? folderOf(env['APPDATA'], 'AppData/Roaming') : folderOf(env['XDG_CONFIG_HOME'], '.config');
}

function folderOf(named: string | undefined, belowHome: string): string {
  // The specification of these variables says that a relative path is to be ignored.
  return join(named !== undefined && /^([/\\]|[A-Za-z]:)/.test(named) ? named : join(homedir(), belowHome), 'roux');
}
