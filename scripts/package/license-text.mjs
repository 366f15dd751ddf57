import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledFolders, INSIDE, readManifest } from './bundled-packages.mjs';

/** The licences of the packages whose files went into a bundle, as they ask for it: `inputs` are paths below `root` as esbuild names them. */
export function licenseText(root, inputs) {
  const parts = bundledFolders(inputs).map((folder) => describe(join(root, folder)));
  return ['What roux is built from besides its own code, package by package.', ...parts.toSorted()].join(`\n\n${'-'.repeat(80)}\n\n`);
}

function describe(folder) {
  const { name, version, license: named, author } = readManifest(folder);
  const license = named ?? 'as below';
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)(?:[-.](?:md|txt|mit|apache))*$/i.test(entry));
  // Some name their licence and ship no text of it.
  const by = typeof author === 'string' ? author : author?.name;
  const text = file === undefined ? `${license}${by === undefined ? '' : `, by ${by}`}` : readFileSync(join(folder, file), 'utf8').trim();
  const notice = join(folder, 'NOTICE');
  const inside = INSIDE[name] === undefined ? [] : [INSIDE[name].notice];
  return [`${name} ${version} (${license})`, text, ...inside, ...(existsSync(notice) ? [readFileSync(notice, 'utf8').trim()] : [])].join(
    '\n\n',
  );
}
