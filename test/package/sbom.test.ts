import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { sbomText } from '../../scripts/package/sbom.mjs';
import { packPackage } from '../support/program/packed.ts';
import { repositoryRoot } from '../support/vault.ts';

const packed = (file: string): string => execFileSync('tar', ['-xzOf', packPackage().file, `package/${file}`], { encoding: 'utf8' });
const read = (file: string): unknown => JSON.parse(readFileSync(join(repositoryRoot, file), 'utf8'));

/** What of CycloneDX 1.6 is used here, as its schema has it, and nothing besides. */
const licenses = z
  .array(
    z.union([
      z.strictObject({ license: z.union([z.strictObject({ id: z.string() }), z.strictObject({ name: z.string() })]) }),
      z.strictObject({ expression: z.string() }),
    ]),
  )
  .min(1);
const part = {
  'bom-ref': z.string().min(1),
  name: z.string(),
  version: z.string(),
  licenses,
  purl: z.string().regex(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+[\w.+-]*$/),
};
const library = z.strictObject({
  ...part,
  type: z.literal('library'),
  group: z.string().regex(/^@/).optional(),
  hashes: z
    .array(
      z.strictObject({
        alg: z.enum(['SHA-1', 'SHA-256', 'SHA-512']),
        content: z.string().regex(/^(?:[a-f0-9]{40}|[a-f0-9]{64}|[a-f0-9]{128})$/),
      }),
    )
    .optional(),
});
const bom = z.strictObject({
  $schema: z.literal('http://cyclonedx.org/schema/bom-1.6.schema.json'),
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.6'),
  serialNumber: z.string().regex(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  version: z.int().min(1),
  metadata: z.strictObject({
    lifecycles: z.tuple([z.strictObject({ phase: z.literal('build') })]),
    component: z.strictObject({ ...part, type: z.literal('application'), description: z.string() }),
  }),
  components: z.array(library.extend({ components: z.array(library).optional() })),
  dependencies: z.array(z.strictObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({ version: z.string().optional(), integrity: z.string().optional(), license: z.string().optional() }),
    ),
  })
  .parse(read('package-lock.json')).packages;

const nameOf = ({ group, name }: z.infer<typeof library>): string => (group === undefined ? name : `${group}/${name}`);

it('O-11 the package has a bill of materials as CycloneDX 1.6 has it, of this version', () => {
  const { metadata, components, dependencies } = bom.parse(JSON.parse(packed('dist/sbom.cdx.json')));
  const { name, version, license } = z.object({ name: z.string(), version: z.string(), license: z.string() }).parse(read('package.json'));
  expect(metadata.component).toMatchObject({ name, version, purl: `pkg:npm/${name}@${version}`, licenses: [{ license: { id: license } }] });
  // Each is named once, every reference leads somewhere, and all can be reached from the program.
  const refs = [metadata.component['bom-ref'], ...components.map((each) => each['bom-ref'])];
  expect(new Set(refs).size).toBe(refs.length);
  expect(dependencies.map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted());
  const reached = new Set<string>();
  const waiting = refs.slice(0, 1);
  for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
    if (reached.has(ref)) continue;
    reached.add(ref);
    waiting.push(...(dependencies.find((each) => each.ref === ref)?.dependsOn ?? []));
  }
  expect([...reached].toSorted()).toEqual(refs.toSorted());
});

it('O-11 it says of each package what the lock file says: version, archive and licence', () => {
  const { components } = bom.parse(JSON.parse(packed('dist/sbom.cdx.json')));
  expect(components.length).toBeGreaterThan(100);
  for (const component of components) {
    const name = nameOf(component);
    const found = Object.entries(lock).filter(
      ([path, { version }]) => path.endsWith(`node_modules/${name}`) && version === component.version,
    );
    expect([name, found.length]).not.toEqual([name, 0]);
    const [, { integrity = '', license } = {}] = found[0] ?? [];
    const [algorithm = '', base64 = ''] = integrity.split('-');
    expect(component.hashes).toEqual([
      { alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content: Buffer.from(base64, 'base64').toString('hex') },
    ]);
    expect(JSON.stringify(component.licenses)).toContain(license ?? '{"license":');
    expect(decodeURIComponent(component.purl)).toBe(`pkg:npm/${name}@${component.version}`);
  }
});

it('O-11 it names what the licences name and no tool of the build, and what is inside of a package', () => {
  const { components } = bom.parse(JSON.parse(packed('dist/sbom.cdx.json')));
  const named = [...packed('dist/licenses.txt').matchAll(/^-{80}\n\n(\S+) (\d\S*) \(/gm)].map(
    ([, name, version]) => `${name ?? ''}@${version ?? ''}`,
  );
  expect(components.map((each) => `${nameOf(each)}@${each.version}`).toSorted()).toEqual([...new Set(named)].toSorted());
  const names = components.map(nameOf);
  for (const name of [
    'zod',
    'yaml',
    'hono',
    'preact',
    'pg',
    'mermaid',
    'onnxruntime-web',
    '@modelcontextprotocol/sdk',
    '@fontsource/stix-two-math',
  ])
    expect(names).toContain(name);
  for (const name of ['vitest', 'typescript', 'esbuild', 'playwright-core', 'oxlint']) expect(names).not.toContain(name);
  const pdf = components.find(({ name }) => name === 'unpdf')?.components?.[0];
  expect(pdf?.name).toBe('pdfjs-dist');
  expect(readFileSync(join(repositoryRoot, 'node_modules/unpdf/dist/pdfjs.mjs'), 'utf8')).toContain(pdf?.version);
});

it('O-11 the same packages give the same text, in whatever order and by whatever path they came', () => {
  const inputs = [
    'src/bin.ts',
    'node_modules/zod/index.js',
    'node_modules/@hono/node-server/dist/index.mjs',
    '../x/node_modules/hono/dist/hono.js',
  ];
  const text = sbomText(repositoryRoot, inputs);
  expect(sbomText(repositoryRoot, [...inputs, 'node_modules\\zod\\v4\\core.js'].toReversed())).toBe(text);
  expect(bom.parse(JSON.parse(text)).components.map(nameOf)).toEqual(['@hono/node-server', 'hono', 'zod']);
  expect(bom.parse(JSON.parse(text)).dependencies.find(({ ref }) => ref.includes('node-server'))?.dependsOn).toEqual([
    expect.stringMatching(/^pkg:npm\/hono@/),
  ]);
});
