import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Others' work inside of a package that its own licence does not name. */
const INSIDE = {
  unpdf: 'Contains pdf.js, Copyright Mozilla Foundation and others, under the Apache License 2.0: the text of that licence is in LICENSE.',
};

/** The licences of the packages whose files went into a bundle, as they ask for it: `inputs` are paths below `root` as esbuild names them. */
export function licenseText(root, inputs) {
  const packages = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input.replaceAll('\\', '/'))?.[0] ?? []);
  const parts = [...new Set(packages)].map((folder) => describe(join(root, folder)));
  return ['What roux is built from besides its own code, package by package.', ...parts.toSorted()].join(`\n\n${'-'.repeat(80)}\n\n`);
}

function describe(folder) {
  const { name, version, license: named, licenses: older, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const license = named ?? older?.map(({ type }) => type).join(', ') ?? 'as below';
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)(?:[-.](?:md|txt|mit|apache))*$/i.test(entry));
  // Some name their licence and ship no text of it.
  const by = typeof author === 'string' ? author : author?.name;
  const text = file === undefined ? `${license}${by === undefined ? '' : `, by ${by}`}` : readFileSync(join(folder, file), 'utf8').trim();
  const notice = join(folder, 'NOTICE');
  const inside = INSIDE[name] === undefined ? [] : [INSIDE[name]];
  return [`${name} ${version} (${license})`, text, ...inside, ...(existsSync(notice) ? [readFileSync(notice, 'utf8').trim()] : [])].join(
    '\n\n',
  );
}
