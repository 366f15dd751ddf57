import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns this user's folder for persistent data outside of vaults: `$XDG_STATE_HOME/roux`, else `~/.local/state/roux`; on Windows
 * `%LOCALAPPDATA%\roux`.
 */
export function userStateFolder(): string {
  const { env } = process;
  return process.platform === 'win32' ? folderOf(env['LOCALAPPDATA'], 'AppData/Local') : folderOf(env['XDG_STATE_HOME'], '.local/state');
}

/** Returns this user's folder for settings: `$XDG_CONFIG_HOME/roux`, else `~/.config/roux`; on Windows `%APPDATA%\roux`. */
export function userConfigFolder(env: Environment = process.env): string {
  return process.platform === 'win32' ? folderOf(env['APPDATA'], 'AppData/Roaming') : folderOf(env['XDG_CONFIG_HOME'], '.config');
}

function folderOf(named: string | undefined, belowHome: string): string {
  // The XDG specification says to ignore relative paths.
  return join(named !== undefined && /^([/\\]|[A-Za-z]:)/.test(named) ? named : join(homedir(), belowHome), 'roux');
}
