import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Others' work inside of a package that its own licence does not name. Its version is that of `name` in the `devDependencies` of the package. */
export const INSIDE = {
  unpdf: {
    name: 'pdfjs-dist',
    license: 'Apache-2.0',
    notice:
      'Contains pdf.js, Copyright Mozilla Foundation and others, under the Apache License 2.0: the text of that licence is in LICENSE.',
  },
};

/**
 * The folders of the packages whose files went into a bundle, as the lock file names them. `inputs`: paths as esbuild names them, which begin
 * elsewhere where `node_modules` is a link.
 */
export function bundledFolders(inputs) {
  const folders = inputs.flatMap(
    (input) => /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(input.replaceAll('\\', '/'))?.[0] ?? [],
  );
  return [...new Set(folders)].toSorted(compareText);
}

/** Reads `package.json` of a package; `license` is also that of older ones, or null. */
export function readManifest(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { license, licenses: older } = manifest;
  return { ...manifest, license: license ?? older?.map(({ type }) => type).join(', ') ?? null };
}

/** Orders texts by their units, on every machine alike. */
export function compareText(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
