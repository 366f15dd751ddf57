import { readdirSync, readFileSync } from 'node:fs';
import { RouxError } from '../../../errors.ts';
import { pageFolder } from '../page-folder.ts';

/** The program of a site, as the build made it. */
export interface SiteAssets {
  readonly names: { readonly early: string; readonly script: string; readonly style: string; readonly icon: string };
  /** All files by name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Reads the program of a site. Throws `IO_ERROR` if it was not built. */
export function readSiteAssets(): SiteAssets {
  const folder = new URL('publish/', pageFolder());
  const files = new Map(namesIn(folder).map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]));
  const named = (pattern: RegExp): string => {
    const found = [...files.keys()].find((name) => pattern.test(name));
    if (found === undefined) throw new RouxError('IO_ERROR', 'The page was not built, and a site needs it. Run "npm run build".');
    return found;
  };
  return {
    names: {
      early: named(/^early-[^.]+\.js$/),
      script: named(/^site-[^.]+\.js$/),
      style: named(/^site-[^.]+\.css$/),
      icon: named(/^icon-[^.]+\.svg$/),
    },
    files,
  };
}

function namesIn(folder: URL): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
