import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { RouxError, errorMessage } from '../../../../errors.ts';
import { findCheckout } from '../../../../git/worktrees.ts';
import { DONE } from '../../command.ts';
import type { CommandContext, Status } from '../../command.ts';
import { shellLine } from '../../shell-word.ts';
import { firstLine, programWords, runGit } from '../run-git.ts';
import { refuseReadOnly, showOutcome, statusOfSetup } from '../setup-outcome.ts';
import type { SetupOutcome } from '../setup-outcome.ts';

const HOOK = 'hooks/pre-commit';
const SHOWN_HOOK = `.git/${HOOK}`;
/** By its first lines roux knows a hook of its own. */
const HEAD = '#!/bin/sh\n# Made by "roux check --install-hook". Delete this file to be rid of it.\n';

/** Writes the pre-commit hook of the repository around the vault. A hook that is there already is left as it is. */
export async function installHook(context: CommandContext): Promise<Status> {
  const { host, program } = context;
  refuseReadOnly(context, 'check --install-hook');
  const checkout = findCheckout(host.root);
  if (checkout === null) {
    const message = `${host.root} is in no git repository that is certainly its own; run "git init" there first.`;
    throw new RouxError('INVALID_PARAMS', message, { vault: host.root });
  }
  const { common, vault } = checkout;
  // Git runs hooks at the top of the working tree.
  const line = shellLine([...programWords(context), 'check', '--vault', vault === '' ? '.' : vault, '--since', 'HEAD']);
  const outcome = await writeHook(await program.openFiles(common), { common, line, root: host.root });
  if (context.isJson) context.printJson({ ...outcome, hook: line });
  else {
    showOutcome(context, outcome);
    if (outcome.left.length === 0) context.print(`Before each commit: ${line}`);
  }
  return outcome.left.length === 0 ? DONE : statusOfSetup(outcome);
}

async function writeHook(
  files: Awaited<ReturnType<CommandContext['program']['openFiles']>>,
  { common, line, root }: { readonly common: string; readonly line: string; readonly root: string },
): Promise<SetupOutcome> {
  const leave = (reason: string, isFailure = false): SetupOutcome => ({
    written: [],
    left: [{ file: SHOWN_HOOK, reason, add: line, isFailure }],
  });
  const elsewhere = await findHooksPath(common, root);
  if (elsewhere !== null) return leave(elsewhere);
  const seen = files.look(HOOK);
  if (seen.kind === 'barred') return leave(seen.reason);
  if (seen.kind === 'folder') return leave(`${SHOWN_HOOK} is a folder`);
  const text = `${HEAD}exec ${line}\n`;
  const present = seen.kind === 'file' ? Buffer.from(seen.bytes).toString('utf8') : null;
  if (present?.startsWith(HEAD) === false) return leave('it holds a hook of yours');
  if (present !== text) {
    const failure = await files.write(HOOK, { bytes: Buffer.from(text), seen });
    if (failure !== null) return leave(failure, true);
  }
  try {
    await makeExecutable(join(common, HOOK));
  } catch (error) {
    return leave(errorMessage(error), true);
  }
  return { written: present === text ? [] : [SHOWN_HOOK], left: [] };
}

/** Returns why hooks in git's folder do not run, as a clause; null if they do. */
async function findHooksPath(common: string, vault: string): Promise<string | null> {
  try {
    const path = await runGit(['config', '--file', join(common, 'config'), '--default', '', '--get', 'core.hooksPath'], { vault });
    return path.trim() === '' ? null : `core.hooksPath says that hooks are in ${path.trim()}`;
  } catch (error) {
    return firstLine(error);
  }
}

/** Makes a file executable for those who may read it, and follows no link. */
async function makeExecutable(path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { mode } = await file.stat();
    await file.chmod((mode & 0o777) | ((mode & 0o444) >> 2));
  } finally {
    await file.close();
  }
}
