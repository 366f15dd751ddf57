import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from './support/vault.ts';

const text = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');

/** The first number behind a name in the source, with its factors: `10 * 1024 * 1024`, `60_000`, `.default(30)`. */
function numberIn(path: string, name: string): number {
  const found = new RegExp(`\\b${name}\\b[^\\n]*?(?:= |default\\()([\\d_.]+(?: \\* [\\d_]+)*)`).exec(text(path));
  return (found?.[1] ?? '').split(' * ').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
}

const MB = 1024 * 1024;

/** Rows of the table of limits: how the limit begins, and the constant that it is, in this unit. */
const LIMITS: readonly (readonly [row: string, limit: string, path: string, name: string, unit: number])[] = [
  ['a note', '10 MB', 'store/folder/hash.ts', 'MAX_FILE_BYTES', MB],
  ['a file of a shared vault', '100 MB', 'store/shared/shared-vault.ts', 'MAX_FILE_BYTES', MB],
  ['a file of which two edits are merged', '8 MB', 'store/shared/incoming/apply-changes.ts', 'MAX_MERGED_BYTES', MB],
  ['a path in the vault', '1,000 characters', 'note/path.ts', 'MAX_PATH_CHARACTERS', 1],
  ['the name of a property', '200 characters', 'ops/notes/write/given-properties.ts', 'MAX_NAME_CHARACTERS', 1],
  ['the edits of one call', '100', 'ops/notes/write/body-parts.ts', 'MAX_EDITS', 1],
  ['the nodes of one plan of tasks', '2,000', 'ops/tasks/graph-plan.ts', 'MAX_NODES', 1],
  ['the ids of one `get_nodes`', '100', 'ops/notes/read/get-nodes.ts', 'MAX_IDS', 1],
  ['an observation', '64 KB', 'ops/memory/policy.ts', 'MAX_OBSERVATION_BYTES', 1024],
  ['an answer of an MCP tool', '40,000 characters', 'faces/mcp/surface/tool-result.ts', 'MAX_RESULT_CHARACTERS', 1],
  ['a line of MCP over stdio', '64 MB', 'faces/stdio/lines.ts', 'MAX_LINE_BYTES', MB],
  ['the body of an HTTP request', '12 MB', 'config.ts', 'maxRequestBytes', MB],
  ['HTTP requests of a token', '60,000 a minute', 'config.ts', 'requestsPerMinute', 1],
  ['programs with access by OAuth', '100', 'faces/http/oauth/grants.ts', 'MAX_GRANTS', 1],
  ['wrong passwords on the consent page', '10 a minute', 'faces/http/oauth/password-gate.ts', 'MAX_WRONG_PER_MINUTE', 1],
  ['operations over HTTP at the same time', '32', 'faces/http/limits/limit-running.ts', 'MAX_RUNNING_CALLS', 1],
  ['event streams over HTTP', '64', 'faces/http/app.ts', 'MAX_EVENT_STREAMS', 1],
  ['a search', '64 words', 'graph/search/query/parse-query.ts', 'MAX_CLAUSES', 1],
  ['a PDF that is searched', '100 MB', 'vault/attachments/read-bytes.ts', 'MAX_FILE_BYTES', MB],
  ['a PDF that is being read', '60 s', 'vault/attachments/worker/pdf-thread.ts', 'MAX_SILENT_MS', 1000],
  ["Obsidian's excluded files", '200 filters', 'vault/sync/hidden/hidden-rules.ts', 'MAX_FILTERS', 1],
  ['all patterns that hide files together', '50,000 steps', 'vault/sync/hidden/hidden-rules.ts', 'MAX_STEPS_A_PATH', 1],
  ['regular expressions of one query', '0.5 s', 'query/pattern-clock.ts', 'MAX_MS', 1000],
  ['the main thread without an answer', '2 s', 'watchdog/watchdog-worker.ts', 'MAX_SILENT_MS', 1000],
  ['ending when asked to (SIGTERM)', '1.6 s', 'watchdog/watchdog-worker.ts', 'MAX_END_MS', 1000],
  ['waiting for another writer', '20 s', 'store/transaction/lock/lock.ts', 'LOCK_TIMEOUT_MS', 1000],
  ['waiting for git to finish', '5 s', 'store/open-folder-store.ts', 'GIT_PATIENCE_MS', 1000],
  ['what undo keeps', '30 days', 'store/records/batches.ts', 'RETENTION_MS', 24 * 60 * 60 * 1000],
  ['idempotency keys', '7 days', 'store/records/keys.ts', 'RETENTION_MS', 24 * 60 * 60 * 1000],
  ['the trash', '30 days', 'config.ts', 'trashDays', 1],
  ['looking for a time in git', '20,000 commits', 'git/commits.ts', 'MAX_COMMITS', 1],
  ['the notes on the map', '200,000', 'page/map/map-nodes.ts', 'MAX_NOTES', 1],
  ['a note on the page', '5 embeds deep', 'render/render-note.ts', 'MAX_DEPTH', 1],
];

it('the limits in docs/testing.md are those of the source', () => {
  const page = text('docs/testing.md');
  const table = page.slice(page.indexOf('## Limits'), page.indexOf('Not limited'));
  const rows = new Map([...table.matchAll(/^\| (.*?) +\| (.*?) +\|/gm)].slice(1).map(([, row = '', limit = '']) => [row, limit] as const));
  expect([...rows.keys()]).toEqual(LIMITS.map(([row]) => row));
  for (const [row, limit, path, name, unit] of LIMITS) {
    expect({ row, limit: rows.get(row) }).toEqual({ row, limit: expect.stringMatching(new RegExp(`^${limit}(?:$|[ ,;])`)) });
    expect({ row, value: numberIn(`src/${path}`, name) / unit }).toEqual({ row, value: Number.parseFloat(limit.replaceAll(',', '')) });
  }
});
