import { userInfo } from 'node:os';
import type { Config, ConfigLayer } from '../../config.ts';
import type { SetupFiles } from '../../ports.ts';
import type { Host, TrustedFolders } from '../host.ts';
import type { Sharing } from '../sharing.ts';
import type { StdioClient } from '../stdio/serve-stdio.ts';

/** A stream that the program writes to: a terminal, a file or a pipe. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** What the program needs of its process, and how it opens vaults. */
export interface Program {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** The path with which the program was started; it may be a link. */
  readonly file: string;
  readonly stdin: AsyncIterable<unknown> & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Throws `OTHER_OWNER` for a folder that belongs to another user, unless `mayBeOthers`. */
  loadConfig(query: { vaultRoot: string; flags: readonly ConfigLayer[]; mayBeOthers?: boolean }): Config;
  readonly trusted: TrustedFolders;
  /**
   * Opens a vault. With `flags`, the layers that override the settings files, the files are watched for changes; without them the settings
   * stay fixed.
   */
  openHost(options: {
    root: string;
    config: Config;
    isFollowing: boolean;
    isRehearsing: boolean;
    isTemporary?: boolean;
    flags?: readonly ConfigLayer[];
  }): Host;
  openFiles(folder: string): Promise<SetupFiles>;
  openSharing(mayBeOthers: boolean): Promise<Sharing>;
  /** The client of the `mcp` command if another script has found it. */
  readonly client?: StdioClient;
}

/** Returns the name of this machine's user, for what they write at the page and confirm. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // The system has no entry for this user.
    return 'owner';
  }
}
