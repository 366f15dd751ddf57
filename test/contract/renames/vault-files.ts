import { expect } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

export type Files = Readonly<Record<string, string>>;

/** Links keep their form, and a renamed note gets no alias: what a rename does not concern is easy to see. */
const SETTINGS = '{"links": {"format": "minimal"}, "renameAlias": "off", "filenames": "title"}';

/** The texts of all files, without the settings. */
export function filesIn(vault: TestVault): Record<string, string> {
  const names = vault.files().filter((file) => file !== '.rouxrc.json');
  return Object.fromEntries(names.map((file) => [file, vault.read(file)]));
}

/** Runs with a server on a vault of these files. */
export function withFiles(files: Files, run: (session: McpInside, vault: TestVault) => Promise<void>): Promise<void> {
  return withVault({ '.rouxrc.json': SETTINGS, ...files }, (vault) => withServer(vault, (session) => run(session, vault)));
}

/** Renames, and gives the files afterwards, but for those that are as before, with the answer; undo brings all of them back. */
export async function renamed(files: Files, changes: Readonly<Record<string, string>>, options: { readonly merge?: boolean } = {}) {
  let result: { readonly after: Files; readonly answer: Awaited<ReturnType<McpInside['ask']>> } | undefined;
  await withFiles(files, async ({ ask }, vault) => {
    const answer = await ask('rename', { changes: toChanges(changes), ...options });
    const after = filesIn(vault);
    const undone = await cli(['undo', answer.batch, '--vault', vault.root]);
    expect(undone.status, undone.stderr).toBe(0);
    expect(filesIn(vault)).toEqual(files);
    result = { after: Object.fromEntries(Object.entries(after).filter(([file, text]) => files[file] !== text)), answer };
  });
  if (result === undefined) throw new Error('nothing was renamed');
  return result;
}

/** Tries to rename, and gives the error; nothing may have changed. */
export async function refused(files: Files, changes: Readonly<Record<string, string>> | readonly { from: string; to: string }[]) {
  let error: { readonly code: string; readonly message: string } | undefined;
  await withFiles(files, async ({ refuse }, vault) => {
    ({ error } = await refuse('rename', { changes: Array.isArray(changes) ? changes : toChanges(changes as Record<string, string>) }));
    expect(filesIn(vault)).toEqual(files);
  });
  if (error === undefined) throw new Error('nothing was refused');
  return error;
}

function toChanges(changes: Readonly<Record<string, string>>): readonly { readonly from: string; readonly to: string }[] {
  return Object.entries(changes).map(([from, to]) => ({ from, to }));
}
