import { RouxError, systemCode } from '../errors.ts';
import { makeFolders } from '../disk/atomic.ts';
import { foldKey } from '../note/path.ts';
import { hashOf } from './content.ts';
import { absolute, syncFoldersOf } from './ground.ts';
import type { Step } from './intent.ts';
import { goneMeanwhile, imageOf, isListed, isOurs, oldOf, savedMeanwhile, spareOf } from './pass.ts';
import type { Pass } from './pass.ts';
import { placeNew, swapIn } from './swap.ts';

type Create = Extract<Step, { kind: 'create' }>;
type Move = Extract<Step, { kind: 'move' }>;

/** Makes the folders and the new names of a transaction, before any old name goes, so that nothing dangles. */
export async function makeNewNames(pass: Pass): Promise<void> {
  const { ground, intent } = pass;
  for (const folder of intent.folders) await makeFolders(ground.files, ground.root, absolute(ground, folder));
  await syncFoldersOf(ground, intent.folders);
  for (const [index, step] of intent.steps.entries()) {
    await ground.lock.check();
    if (step.kind === 'create') await create(pass, index, step);
    else if (step.kind === 'move' && step.from !== step.to) await makeTarget(pass, index, step);
  }
}

async function create(pass: Pass, index: number, step: Create): Promise<void> {
  const image = imageOf(pass, index);
  try {
    await placeNew(pass.ground, { image, path: step.path, spare: spareOf(pass, index) });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' || !(await isOurs(pass, { image, path: step.path, after: step.after })))
      throw taken(error, step.path);
  }
  pass.touched.add(step.path);
}

async function makeTarget(pass: Pass, index: number, step: Move): Promise<void> {
  const { files } = pass.ground;
  pass.touched.add(step.to);
  if (step.over !== null) return await takeOver(pass, index, step, step.over);
  const image = imageOf(pass, index);
  const hasImage = (await files.stat(image)) !== null;
  const source = hasImage ? image : absolute(pass.ground, step.from);
  if (!hasImage && (await files.stat(source)) === null) {
    if ((await files.stat(absolute(pass.ground, step.to))) !== null) return;
    throw goneMeanwhile(step.from);
  }
  try {
    await placeNew(pass.ground, { image: source, path: step.to, spare: spareOf(pass, index) });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    if (await isOneFile(pass, step)) return await renameCase(pass, index, step, hasImage ? image : null);
    if (!(await isOurs(pass, { image: source, path: step.to, after: step.after }))) throw taken(error, step.to);
  }
}

/** Another file stands at the new name and has its content brought elsewhere by the same transaction. */
async function takeOver(pass: Pass, index: number, step: Move, over: string): Promise<void> {
  const image = imageOf(pass, index);
  const standing = await pass.ground.files.read(absolute(pass.ground, step.to));
  if (standing !== null && (hashOf(standing) === step.after || (await isOurs(pass, { image, path: step.to, after: step.after })))) return;
  if (standing === null || hashOf(standing) !== over) throw savedMeanwhile(step.to);
  const displaced = await swapIn(pass.ground, { image, path: step.to, old: `${image}.over`, spare: spareOf(pass, index) });
  if (displaced !== over) throw savedMeanwhile(step.to);
}

/** On a file system that ignores case, both names are one file: through a name of its own. */
async function renameCase(pass: Pass, index: number, step: Move, image: string | null): Promise<void> {
  const { files, root } = pass.ground;
  const between = `${root}/.roux/tmp/${spareOf(pass, index)}`;
  if (image !== null) await swapIn(pass.ground, { image, path: step.from, old: oldOf(pass, index), spare: spareOf(pass, index) });
  await files.rename(absolute(pass.ground, step.from), between);
  await files.rename(between, absolute(pass.ground, step.to));
}

async function isOneFile(pass: Pass, step: Move): Promise<boolean> {
  if (foldKey(step.from) !== foldKey(step.to) || (await isListed(pass, step.to))) return false;
  return (await pass.ground.files.stat(absolute(pass.ground, step.to))) !== null;
}

function taken(error: unknown, path: string): unknown {
  return systemCode(error) === 'EEXIST' ? new RouxError('NODE_EXISTS', `${path} exists already.`, { path, existing: path }) : error;
}
