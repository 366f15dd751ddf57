import { RouxError, systemCode } from '../../errors.ts';
import { foldKey, folderOf } from '../../note/path.ts';
import { hashOf } from '../folder/hash.ts';
import { makeFolders } from '../folder/write-file.ts';
import type { Step } from './intent.ts';
import { linkNewFile, spareNames, replaceFile } from './replace-file.ts';
import { removedConcurrently, isListed, isStagedFile, savedConcurrently } from './step-context.ts';
import type { StepContext } from './step-context.ts';
import { syncFoldersOf } from './under-lock.ts';

type Create = Extract<Step, { kind: 'create' }>;
type Move = Extract<Step, { kind: 'move' }>;

/** Creates the folders and the new names of a transaction. Old names are removed later, so that no link dangles in between. */
export async function makeNewNames(context: StepContext): Promise<void> {
  const { under, intent, isRepeat } = context;
  const targets = intent.steps.flatMap((step) => (step.kind === 'create' ? [step.path] : step.kind === 'move' ? [step.to] : []));
  // After a crash, another program may have removed a folder that existed before.
  const folders = isRepeat ? [...intent.folders, ...targets.map(folderOf)] : intent.folders;
  const made = folders.flatMap((folder) => makeFolders(under.files, folder));
  await syncFoldersOf(under, [...intent.folders, ...made]);
  for (const [index, step] of intent.steps.entries()) {
    await under.lock.check();
    if (step.kind === 'create') await create(context, index, step);
    else if (step.kind === 'move' && step.from !== step.to) await makeTarget(context, index, step);
  }
}

async function create(context: StepContext, index: number, step: Create): Promise<void> {
  const image = context.under.journal.image(context.intent.id, index);
  try {
    await linkNewFile(context.under, { image, path: step.path, spare: spareNames(context.intent.id, index) });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' || !isStagedFile(context, { image, path: step.path, after: step.after }))
      throw toExistsError(error, step.path);
  }
  context.touched.add(step.path);
}

async function makeTarget(context: StepContext, index: number, step: Move): Promise<void> {
  const { files, journal } = context.under;
  context.touched.add(step.to);
  if (step.over !== null) return await replaceTarget(context, index, step, step.over);
  const image = journal.image(context.intent.id, index);
  const hasImage = files.stat(image) !== null;
  const source = hasImage ? image : step.from;
  if (!hasImage && files.stat(source) === null) {
    if (files.stat(step.to) !== null) return;
    if (foldKey(step.from) === foldKey(step.to) && isBetweenNames(context, index)) return finishCaseChange(context, index, step);
    throw removedConcurrently(step.from);
  }
  try {
    await linkNewFile(context.under, { image: source, path: step.to, spare: spareNames(context.intent.id, index) });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    if (isOneFile(context, step)) return await changeCase(context, index, step, hasImage ? image : null);
    if (!isStagedFile(context, { image: source, path: step.to, after: step.after })) throw toExistsError(error, step.to);
  }
}

/** Replaces the file at the target of a move, whose content the same transaction moves elsewhere. */
async function replaceTarget(context: StepContext, index: number, step: Move, over: string): Promise<void> {
  const { files, journal } = context.under;
  const { id } = context.intent;
  const image = journal.image(id, index);
  const current = files.read(step.to)?.bytes;
  if (current !== undefined && (hashOf(current) === step.after || isStagedFile(context, { image, path: step.to, after: step.after })))
    return;
  if (current === undefined || hashOf(current) !== over) throw savedConcurrently(step.to);
  const old = journal.displaced(id, index, 'over');
  const isDone = await replaceFile(context.under, { image, path: step.to, old, spare: spareNames(id, index) });
  const displaced = isDone ? files.read(old) : null;
  if (displaced === null || hashOf(displaced.bytes) !== over) throw savedConcurrently(step.to);
}

/**
 * Changes the case of a name on a file system that ignores case, where both names are one file. Goes through the path of the displaced file,
 * where recovery and rollback look for it: a crash in between must not leave the only copy in a temporary file that is cleared away.
 */
async function changeCase(context: StepContext, index: number, step: Move, image: string | null): Promise<void> {
  const { under, intent } = context;
  under.files.rename(step.from, under.journal.displaced(intent.id, index));
  if (image === null) finishCaseChange(context, index, step);
  else await linkNewFile(under, { image, path: step.to, spare: spareNames(intent.id, index) });
}

/** Returns whether a file whose name changes case has lost its old name and has no new one yet. */
function isBetweenNames({ under, intent }: StepContext, index: number): boolean {
  return under.files.stat(under.journal.displaced(intent.id, index)) !== null;
}

function finishCaseChange({ under, intent }: StepContext, index: number, step: Move): void {
  under.files.rename(under.journal.displaced(intent.id, index), step.to);
}

function isOneFile(context: StepContext, step: Move): boolean {
  if (foldKey(step.from) !== foldKey(step.to) || isListed(context, step.to)) return false;
  return context.under.files.stat(step.to) !== null;
}

function toExistsError(error: unknown, path: string): unknown {
  return systemCode(error) === 'EEXIST' ? new RouxError('NODE_EXISTS', `${path} exists already.`, { path, existing: path }) : error;
}
