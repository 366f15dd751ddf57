import { readFileSync } from 'node:fs';
import { pageFolder } from './page-folder.ts';

/**
 * Reads the self-contained page that shows a graph inside of a conversation; null if it was not built. It contains nothing from a vault.
 */
export function readAppPage(): string | null {
  try {
    return readFileSync(new URL('graph-app.html', pageFolder()), 'utf8');
  } catch {
    // The build has reported the failure; tools work without the page.
    return null;
  }
}
