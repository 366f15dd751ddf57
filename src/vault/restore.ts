import { systemCode } from '../errors.ts';
import { linkOrCopy, removeIfThere } from '../disk/atomic.ts';
import { hashOf } from './content.ts';
import type { WriteGround } from './ground.ts';
import { absolute, syncFoldersOf } from './ground.ts';
import type { Intent, Step } from './intent.ts';
import { swapIn } from './swap.ts';

/**
 * Takes back what a transaction did: each file that still holds what it was given gets its former bytes.
 * A file that somebody saved since keeps that text. Running it again does what is left.
 */
export async function restoreSteps(ground: WriteGround, intent: Intent): Promise<void> {
  const touched = new Set<string>();
  for (const [index, step] of [...intent.steps.entries()].reverse()) {
    await ground.lock.check();
    const image = ground.journal.image(intent.id, index);
    const old = ground.journal.displaced(intent.id, index);
    for (const path of await restoreStep(ground, step, { image, old, spare: `${intent.id}.${index}.undo` })) touched.add(path);
  }
  await syncFoldersOf(ground, touched);
  for (const folder of intent.folders.toReversed()) await removeEmptyFolder(ground, folder);
}

interface Parts {
  readonly image: string;
  readonly old: string;
  readonly spare: string;
}

async function restoreStep(ground: WriteGround, step: Step, parts: Parts): Promise<readonly string[]> {
  const { files } = ground;
  switch (step.kind) {
    case 'create':
      if (await holds(ground, step.path, parts.image, step.after)) await removeIfThere(files, absolute(ground, step.path));
      return [step.path];
    case 'replace':
      if ((await files.stat(parts.old)) === null || !(await holds(ground, step.path, parts.image, step.after))) return [];
      await putBack(ground, step.path, parts.old, parts);
      return [step.path];
    case 'move': {
      await returnName(ground, step.from, parts.old);
      const over = `${parts.image}.over`;
      if (step.over !== null) {
        if ((await files.stat(over)) !== null && (await holds(ground, step.to, parts.image, step.after)))
          await putBack(ground, step.to, over, parts);
      } else if (step.from !== step.to && (await files.stat(absolute(ground, step.from))) !== null && !(await isOneName(ground, step))) {
        if (await holds(ground, step.to, parts.image, step.after)) await removeIfThere(files, absolute(ground, step.to));
      }
      return [step.from, step.to];
    }
    case 'remove': {
      await returnName(ground, step.path, parts.old);
      if (step.trash !== null && (await files.stat(absolute(ground, step.path))) !== null)
        await removeIfThere(files, absolute(ground, step.trash));
      return [step.path];
    }
  }
}

/** Whether a name leads to what the transaction put there: its staged inode, or its bytes. */
async function holds(ground: WriteGround, path: string, image: string, after: string): Promise<boolean> {
  const { files } = ground;
  const bytes = await files.read(absolute(ground, path));
  if (bytes === null) return false;
  if (hashOf(bytes) === after) return true;
  // A newer text that the change was made on again is staged under a further name.
  for (const staged of [`${image}.r0`, `${image}.r1`]) {
    const [a, b] = [await files.stat(staged), await files.stat(absolute(ground, path))];
    if (a !== null && b !== null && a.ino === b.ino) return (await files.read(staged))?.equals(bytes) ?? false;
  }
  return false;
}

async function putBack(ground: WriteGround, path: string, old: string, parts: Parts): Promise<void> {
  await swapIn(ground, { image: old, path, old: `${parts.image}.undone`, spare: parts.spare });
}

/** Gives a displaced inode its name again, unless somebody has taken it. */
async function returnName(ground: WriteGround, path: string, old: string): Promise<void> {
  if ((await ground.files.stat(old)) === null) return;
  try {
    await linkOrCopy(ground.files, { from: old, to: absolute(ground, path), isSynced: ground.isSynced });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** On a file system that ignores case, removing one of two such names would remove the file. */
async function isOneName(ground: WriteGround, step: { from: string; to: string }): Promise<boolean> {
  const { files } = ground;
  const [from, to] = [await files.stat(absolute(ground, step.from)), await files.stat(absolute(ground, step.to))];
  return from !== null && to !== null && from.ino === to.ino && from.links === 1;
}

async function removeEmptyFolder(ground: WriteGround, folder: string): Promise<void> {
  try {
    await ground.files.removeFolder(absolute(ground, folder));
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
  }
}
