import { RouxError, systemCode } from '../../errors.ts';
import { foldKey } from '../../note/path.ts';
import { hashOf } from '../folder/hash.ts';
import { makeFolders } from '../folder/write-file.ts';
import type { Step } from './intent.ts';
import { linkNewFile, spareNames, replaceFile } from './replace-file.ts';
import { goneMeanwhile, isListed, isStagedFile, savedMeanwhile } from './step-context.ts';
import type { StepContext } from './step-context.ts';
import { syncFoldersOf } from './under-lock.ts';

type Create = Extract<Step, { kind: 'create' }>;
type Move = Extract<Step, { kind: 'move' }>;

/** Makes the folders and the new names of a transaction, before any old name goes, so that nothing dangles. */
export async function makeNewNames(pass: StepContext): Promise<void> {
  const { under, intent } = pass;
  for (const folder of intent.folders) makeFolders(under.files, folder);
  await syncFoldersOf(under, intent.folders);
  for (const [index, step] of intent.steps.entries()) {
    await under.lock.check();
    if (step.kind === 'create') await create(pass, index, step);
    else if (step.kind === 'move' && step.from !== step.to) await makeTarget(pass, index, step);
  }
}

async function create(pass: StepContext, index: number, step: Create): Promise<void> {
  const image = pass.under.journal.image(pass.intent.id, index);
  try {
    await linkNewFile(pass.under, { image, path: step.path, spare: spareNames(pass.intent.id, index) });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' || !isStagedFile(pass, { image, path: step.path, after: step.after })) throw taken(error, step.path);
  }
  pass.touched.add(step.path);
}

async function makeTarget(pass: StepContext, index: number, step: Move): Promise<void> {
  const { files, journal } = pass.under;
  pass.touched.add(step.to);
  if (step.over !== null) return await takeOver(pass, index, step, step.over);
  const image = journal.image(pass.intent.id, index);
  const hasImage = files.stat(image) !== null;
  const source = hasImage ? image : step.from;
  if (!hasImage && files.stat(source) === null) {
    if (files.stat(step.to) !== null) return;
    throw goneMeanwhile(step.from);
  }
  try {
    await linkNewFile(pass.under, { image: source, path: step.to, spare: spareNames(pass.intent.id, index) });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    if (isOneFile(pass, step)) return await renameCase(pass, index, step, hasImage ? image : null);
    if (!isStagedFile(pass, { image: source, path: step.to, after: step.after })) throw taken(error, step.to);
  }
}

/** Another file stands at the new name and has its content brought elsewhere by the same transaction. */
async function takeOver(pass: StepContext, index: number, step: Move, over: string): Promise<void> {
  const { files, journal } = pass.under;
  const { id } = pass.intent;
  const image = journal.image(id, index);
  const standing = files.read(step.to)?.bytes;
  if (standing !== undefined && (hashOf(standing) === step.after || isStagedFile(pass, { image, path: step.to, after: step.after })))
    return;
  if (standing === undefined || hashOf(standing) !== over) throw savedMeanwhile(step.to);
  const old = journal.displaced(id, index, 'over');
  const isDone = await replaceFile(pass.under, { image, path: step.to, old, spare: spareNames(id, index) });
  const displaced = isDone ? files.read(old) : null;
  if (displaced === null || hashOf(displaced.bytes) !== over) throw savedMeanwhile(step.to);
}

/** On a file system that ignores case, both names are one file: through a name of its own. */
async function renameCase(pass: StepContext, index: number, step: Move, image: string | null): Promise<void> {
  const { files, journal } = pass.under;
  const spare = spareNames(pass.intent.id, index);
  if (image !== null) await replaceFile(pass.under, { image, path: step.from, old: journal.displaced(pass.intent.id, index), spare });
  files.rename(step.from, spare.temporary);
  files.rename(spare.temporary, step.to);
}

function isOneFile(pass: StepContext, step: Move): boolean {
  if (foldKey(step.from) !== foldKey(step.to) || isListed(pass, step.to)) return false;
  return pass.under.files.stat(step.to) !== null;
}

function taken(error: unknown, path: string): unknown {
  return systemCode(error) === 'EEXIST' ? new RouxError('NODE_EXISTS', `${path} exists already.`, { path, existing: path }) : error;
}
