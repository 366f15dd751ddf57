import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What is known of one name below a folder. */
interface Seen {
  readonly look: string;
  readonly links: number;
}

/** A folder as it is: names, kinds, modes, times and contents. */
export type Look = ReadonlyMap<string, Seen>;

/** Looks at a folder; `isDeep` reads the files too, which their times make needless mostly. */
export function lookAt(folder: string, { isDeep }: { isDeep: boolean }): Look {
  const seen = new Map<string, Seen>();
  const visit = (path: string): void => {
    const place = join(folder, path);
    const state = lstatSync(place, { bigint: true });
    const content = state.isFile() && isDeep ? createHash('sha256').update(readFileSync(place)).digest('hex') : '';
    const target = state.isSymbolicLink() ? readlinkSync(place) : '';
    const parts = [state.mode, state.uid, state.size, state.mtimeNs, content, target];
    seen.set(path, { look: parts.join(' '), links: state.isFile() ? Number(state.nlink) : 0 });
    if (state.isDirectory()) for (const name of readdirSync(place)) visit(join(path, name));
  };
  visit('');
  return seen;
}

/** How a folder differs from what it was. A second name of a file may go, but none may come. */
export function findChanges(before: Look, after: Look): readonly string[] {
  const changes: string[] = [];
  for (const [path, seen] of after) {
    const was = before.get(path);
    if (was === undefined) changes.push(`${path} was made`);
    else if (was.look !== seen.look) changes.push(`${path} was changed: ${was.look} became ${seen.look}`);
    else if (seen.links > was.links || (was.links === 1 && seen.links !== 1))
      changes.push(`${path} had ${was.links} names and has ${seen.links}`);
  }
  for (const path of before.keys()) if (!after.has(path)) changes.push(`${path} was removed`);
  return changes;
}

/** Files of a folder in which a text stands, also in their names; nothing is followed. */
export function findText(folder: string, text: string): readonly string[] {
  const found: string[] = [];
  const wanted = Buffer.from(text);
  const visit = (path: Buffer): void => {
    for (const entry of readdirSync(path, { withFileTypes: true, encoding: 'buffer' })) {
      const place = Buffer.concat([path, Buffer.from('/'), entry.name]);
      if (entry.name.includes(wanted)) found.push(place.toString());
      if (entry.isDirectory()) visit(place);
      else if (entry.isFile() && lstatSync(place).size < LARGE && readFileSync(place).includes(wanted)) found.push(place.toString());
    }
  };
  visit(Buffer.from(folder));
  return found;
}

const LARGE = 64 * 2 ** 20;
