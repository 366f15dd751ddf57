import { removeIfThere } from '../disk/atomic.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { REJECTED, openJournal } from '../disk/journal.ts';
import type { Journal } from '../disk/journal.ts';
import type { Origin } from '../disk/origin.ts';
import { isNotePath, toNotePath } from '../note/path.ts';
import { hashOf } from './content.ts';
import { isIntent } from './intent.ts';
import type { Intent, Step } from './intent.ts';
import { pathsOf, whyNotToBeDone } from './intent-check.ts';
import type { FileChange } from './plan.ts';

/** An unfinished write that was put aside, because it was not written in this folder or names what it must not. */
export interface SetAside {
  readonly id: string;
  /** What it calls itself; null where it cannot be read. */
  readonly operation: string | null;
  /** ISO 8601, as it says; null where it cannot be read. */
  readonly timestamp: string | null;
  /** The files that it would touch. */
  readonly paths: readonly string[];
  /** What carries it out through planning like any other write; null where that is not possible: a path or a file speaks against it. */
  readonly files: readonly FileChange[] | null;
}

/** Access to what was put aside. */
export interface SetAsides {
  list(): Promise<readonly SetAside[]>;
  /** Removes one for good. */
  forget(id: string): Promise<void>;
}

/** What lies in `.roux/journal/rejected` of a vault. */
export function openSetAsides(files: FileSystem, root: string, origin: Origin): SetAsides {
  const folder = `${root}/.roux/journal/${REJECTED}`;
  const journal = openJournal(files, folder, origin);
  return {
    async list() {
      const look = await journal.look();
      const found: SetAside[] = look.torn.map((id) => ({ id, operation: null, timestamp: null, paths: [], files: null }));
      for (const { id, isAborted, intent } of look.intents) {
        if (!isIntent(intent) || intent.id !== id) found.push({ id, operation: null, timestamp: null, paths: [], files: null });
        else found.push(await describe({ files, root, journal }, intent, isAborted));
      }
      return found.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async forget(id) {
      for (const name of (await files.list(folder)) ?? [])
        if (name.startsWith(`${id}.`) && (await files.stat(`${folder}/${name}`))?.kind !== 'folder')
          await removeIfThere(files, `${folder}/${name}`);
    },
  };
}

interface Ground {
  readonly files: FileSystem;
  readonly root: string;
  readonly journal: Journal;
}

async function describe(ground: Ground, intent: Intent, isAborted: boolean): Promise<SetAside> {
  const { id, operation, timestamp, steps } = intent;
  const isSafe = !isAborted && (await whyNotToBeDone(ground, intent)) === null;
  return { id, operation, timestamp, paths: [...new Set(steps.flatMap(pathsOf))], files: isSafe ? await wayThere(ground, intent) : null };
}

/** What is left to do of an intent, as changes of a plan; null where a file is in neither of the states that it names. */
async function wayThere(ground: Ground, intent: Intent): Promise<readonly FileChange[] | null> {
  const changes: FileChange[] = [];
  for (const [index, step] of intent.steps.entries()) {
    const change = await changeFor(ground, step, ground.journal.image(intent.id, index));
    if (change === null) return null;
    changes.push(...change);
  }
  return changes;
}

async function changeFor({ files, root }: Ground, step: Step, imagePath: string): Promise<readonly FileChange[] | null> {
  const bytesAt = async (path: string): Promise<{ bytes: Buffer; hash: string } | null> => {
    const bytes = await files.read(path);
    return bytes === null ? null : { bytes, hash: hashOf(bytes) };
  };
  const image = step.kind === 'remove' ? null : await bytesAt(imagePath);
  const wanted = step.kind !== 'remove' && image?.hash === step.after ? image.bytes : null;
  switch (step.kind) {
    case 'create': {
      const standing = await bytesAt(`${root}/${step.path}`);
      if (standing !== null) return standing.hash === step.after ? [] : null;
      return wanted === null ? null : [creationOf(step.path, wanted)];
    }
    case 'replace': {
      const standing = await bytesAt(`${root}/${step.path}`);
      if (standing?.hash === step.after) return [];
      const path = toNotePath(step.path);
      if (standing?.hash !== step.before || wanted === null || path === null) return null;
      return [{ kind: 'change', path, changes: [{ op: 'text', text: wanted.toString('utf8') }], expect: { etag: step.before } }];
    }
    case 'move': {
      const [from, to] = [await bytesAt(`${root}/${step.from}`), await bytesAt(`${root}/${step.to}`)];
      if (from === null && to?.hash === step.after) return [];
      if (from?.hash !== step.before || to !== null || (step.after !== step.before && wanted === null)) return null;
      const changes = wanted === null || step.after === step.before ? [] : [{ op: 'text' as const, text: wanted.toString('utf8') }];
      return [{ kind: 'move', from: step.from, to: step.to, changes, expect: { etag: step.before } }];
    }
    case 'remove': {
      const standing = await bytesAt(`${root}/${step.path}`);
      if (standing === null) return [];
      return standing.hash === step.before ? [{ kind: 'remove', path: step.path, to: 'trash', expect: { etag: step.before } }] : null;
    }
  }
}

function creationOf(path: string, bytes: Buffer): FileChange {
  const text = bytes.toString('utf8');
  return isNotePath(path) && Buffer.from(text).equals(bytes)
    ? { kind: 'create', path, text }
    : { kind: 'create-bytes', path, base64: bytes.toString('base64') };
}
