import type { Config, ConfigLayer } from '../../config.ts';
import type { SetupFiles } from '../../ports.ts';
import type { Host, TrustedFolders } from '../host.ts';
import type { Sharing } from '../sharing.ts';
import type { Streams } from '../stdio/serve-stdio.ts';

/** Where the program writes to: a terminal, a file, a pipe. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** What the program runs with: what it has of its process, and how vaults are opened. */
export interface Program {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** The file of the program, or a link to it, as it was started. */
  readonly file: string;
  readonly stdin: AsyncIterable<unknown> & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** `mayBeOthers`: a folder of another user's is opened, too; without it that is `OTHER_OWNER`. */
  loadConfig(query: { vaultRoot: string; flags: readonly ConfigLayer[]; mayBeOthers?: boolean }): Config;
  readonly trusted: TrustedFolders;
  /** `flags`: what the settings are made of besides their files, which are followed then; without them they stay as they are. */
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
  /** The client of `mcp`, where it is not at stdin and stdout. */
  readonly client?: Streams;
}
