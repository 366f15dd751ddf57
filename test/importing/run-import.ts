import { cli } from '../support/program/cli.ts';
import type { CliResult } from '../support/program/cli.ts';

/** What `roux import --json` prints. */
export interface ImportJson {
  readonly written: boolean;
  readonly from: string;
  readonly into: string;
  readonly notes: readonly {
    readonly id: string;
    readonly title: string;
    readonly path: string;
    readonly change: string;
    readonly fields?: readonly string[];
    readonly conflicts?: readonly string[];
    readonly reason?: string;
  }[];
  readonly unchanged: number;
  readonly copied: readonly string[];
  readonly left: readonly { readonly path: string; readonly reason: string }[];
  readonly changed: Readonly<Record<string, number>>;
  readonly batches: readonly string[];
}

/** Imports a path into a vault with `--yes`, and returns what the program prints as JSON. */
export async function importInto(vault: { readonly root: string }, path: string, ...options: readonly string[]): Promise<ImportJson> {
  const { stdout, stderr } = await runImport(vault, path, '--yes', '--json', ...options);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as ImportJson;
}

export function runImport(vault: { readonly root: string }, path: string, ...options: readonly string[]): Promise<CliResult> {
  return cli(['import', path, '--vault', vault.root, ...options]);
}

/** How many notes were new, updated and so on. */
export function countChanges({ notes }: ImportJson): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { change } of notes) counts[change] = (counts[change] ?? 0) + 1;
  return counts;
}

/** Returns the unresolved links of a vault, as `roux check` tells them. */
export async function unresolvedIn(vault: { readonly root: string }): Promise<readonly string[]> {
  const { stdout } = await cli(['unresolved', '--vault', vault.root, '--json']);
  return (JSON.parse(stdout) as readonly { readonly linkpath: string }[]).map(({ linkpath }) => linkpath);
}
