import { lstatSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { RouxError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that allows folders of other users: `1` for all, or a list of paths. */
export const ALLOW_OTHER_OWNER = 'ROUX_ALLOW_OTHER_OWNER';

/** The parts of a vault whose owner is checked. */
const OWNED_PARTS = ['', '.roux'];

/** A part of a vault that belongs to another user. */
export interface OtherOwner {
  readonly path: string;
  /** The uid of the owner, and of this process. */
  readonly owner: number;
  readonly self: number;
}

/**
 * Returns which of the vault's folder and its `.roux` belongs to another user. Null if neither does, if the folder does not exist, and on
 * Windows. As in git, root accepts its own folders and those of the user who called `sudo`.
 */
export function findOtherOwner(root: string, env: Environment): OtherOwner | null {
  const self = process.geteuid?.();
  if (self === undefined) return null;
  for (const name of OWNED_PARTS) {
    const path = join(root, name);
    const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
    if (owner !== undefined && !isOwn(owner, self, env)) return { path, owner, self };
  }
  return null;
}

function isOwn(owner: number, self: number, env: Environment): boolean {
  if (owner === self) return true;
  const caller = env['SUDO_UID'] ?? '';
  return self === 0 && /^\d+$/.test(caller) && owner === Number(caller);
}

/** Whether the environment allows this folder regardless of its owner. Throws `INVALID_CONFIG` for an invalid value of the variable. */
export function isOwnerAllowed(root: string, env: Environment): boolean {
  const said = env[ALLOW_OTHER_OWNER] ?? '';
  if (/^(1|true|yes|on)$/i.test(said)) return true;
  if (/^(|0|false|no|off)$/i.test(said)) return false;
  const paths = said.split(delimiter).filter((path) => path !== '');
  if (paths.every((path) => isAbsolute(path))) return paths.some((path) => realFolder(path) === root);
  const message = `${ALLOW_OTHER_OWNER} is 1, or absolute paths of folders with "${delimiter}" between them, not ${JSON.stringify(said)}.`;
  throw new RouxError('INVALID_CONFIG', message, { key: ALLOW_OTHER_OWNER });
}

/** Returns the real path of a folder; null if it cannot be resolved. */
export function realFolder(folder: string): string | null {
  try {
    return realpathSync.native(folder);
  } catch {
    return null;
  }
}
