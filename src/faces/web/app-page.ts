import { readFileSync } from 'node:fs';
import { pageFolder } from './page-folder.ts';

/** The page that shows a graph inside a conversation, whole in one file; null where it was not built. Nothing of a vault is in it. */
export function readAppPage(): string | null {
  try {
    return readFileSync(new URL('graph-app.html', pageFolder()), 'utf8');
  } catch {
    // A build whose page failed has said so; tools answer all the same.
    return null;
  }
}
