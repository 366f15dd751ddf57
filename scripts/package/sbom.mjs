import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledFolders, compareText, INSIDE, readManifest } from './bundled-packages.mjs';

/**
 * What roux is built from, for scanners: a bill of materials as CycloneDX 1.6 has it, of the packages whose files went into a bundle, with
 * their versions, licences and hashes as the lock file has them. The same packages give the same text.
 */
export function sbomText(root, inputs) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const own = readManifest(root);
  const folders = bundledFolders(inputs);
  const refs = new Map(folders.map((folder) => [folder, refOf(nameOf(folder), packages[folder].version)]));
  const components = folders.map((folder) => describe(root, folder, packages[folder]));
  // A package may lie in several folders, in one version.
  const unique = [...new Map(components.map((component) => [component['bom-ref'], component])).values()].toSorted((a, b) =>
    compareText(a['bom-ref'], b['bom-ref']),
  );
  const uses = new Map(unique.map((component) => [component['bom-ref'], new Set()]));
  for (const folder of folders) for (const used of usedBy(folder, packages, refs)) uses.get(refs.get(folder)).add(used);
  const top = refOf(own.name, own.version);
  const named = new Set(Object.keys(own.devDependencies).flatMap((name) => refs.get(`node_modules/${name}`) ?? []));
  const component = {
    type: 'application',
    'bom-ref': top,
    name: own.name,
    version: own.version,
    description: own.description,
    licenses: licensesOf(own.license),
    purl: top,
  };
  const dependencies = [[top, named], ...uses].map(([ref, used]) => ({ ref, dependsOn: [...used].toSorted(compareText) }));
  const content = { metadata: { lifecycles: [{ phase: 'build' }], component }, components: unique, dependencies };
  const file = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function describe(root, folder, { version, integrity, license }) {
  const manifest = readManifest(join(root, folder));
  const name = nameOf(folder);
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const ref = refOf(name, version);
  const inside = INSIDE[name];
  return {
    type: 'library',
    'bom-ref': ref,
    ...(group === undefined ? {} : { group }),
    name: short,
    version,
    licenses: licensesOf(license ?? manifest.license),
    ...hashesOf(integrity),
    purl: ref,
    ...(inside === undefined ? {} : { components: [contained(inside, manifest.devDependencies[inside.name].replace(/^[~^]/, ''))] }),
  };
}

function contained({ name, license }, version) {
  const ref = refOf(name, version);
  return { type: 'library', 'bom-ref': ref, name, version, licenses: licensesOf(license), purl: ref };
}

/** The packages in the bundles that a package names, each found as Node finds it: in the nearest folder above. */
function usedBy(folder, packages, refs) {
  const { dependencies, peerDependencies, optionalDependencies } = packages[folder];
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }).flatMap((name) => {
    for (let above = folder; ; above = above.slice(0, Math.max(0, above.lastIndexOf('/node_modules/')))) {
      const found = above === '' ? `node_modules/${name}` : `${above}/node_modules/${name}`;
      if (packages[found] !== undefined) return refs.get(found) ?? [];
      if (above === '') return [];
    }
  });
}

/** An identifier of SPDX, an expression of several, or the name of something else. */
function licensesOf(license) {
  // It ships the text alone.
  if (license === null || license === undefined) return [{ license: { name: 'as in dist/licenses.txt' } }];
  if (/ (?:OR|AND|WITH) /.test(license)) return [{ expression: license }];
  return [{ license: /^[A-Za-z0-9.+-]+$/.test(license) ? { id: license } : { name: license } }];
}

/** The hashes of the archive at the registry. */
function hashesOf(integrity) {
  const [, algorithm, base64] = /^(sha512|sha256|sha1)-(\S+)/.exec(integrity ?? '') ?? [];
  if (algorithm === undefined) return {};
  return { hashes: [{ alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content: Buffer.from(base64, 'base64').toString('hex') }] };
}

function nameOf(folder) {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** The URL of a package, by which scanners know it. */
function refOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** A UUID made of a text (version 8). */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
