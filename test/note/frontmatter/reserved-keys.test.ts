import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isReservedTaskKey, isTaskKey } from '../../../src/note/frontmatter/reserved-keys.ts';
import { repositoryRoot } from '../../support/vault.ts';

it('the keys of the table in docs/format.md are reserved and no others: those of tasks in tasks alone, and `kind`, those of the knowledge graph, of freshness and of origin are properties that tools read', () => {
  const format = readFileSync(join(repositoryRoot, 'docs/format.md'), 'utf8');
  const [, table = ''] = /## Frontmatter\n(.*?)\n## /s.exec(format) ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const keys = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, key = '']) => key));
  expect(keys).toContain('depends_on');
  const read = [
    'kind',
    'group_id',
    'uuid',
    'source',
    'source_description',
    'reference_time',
    'episode',
    'ingest',
    'verified',
    'stale_after',
    'observation_info',
    'origin',
    'source',
    'url',
  ];
  expect(keys.filter((key) => !isReservedTaskKey(key))).toEqual(read);
  expect(keys.filter(isTaskKey)).toEqual([
    'resolved',
    'state',
    'summary',
    'parent',
    'depends_on',
    'context_links',
    'evidence',
    'evidence_notes',
    'github_sync',
    'imported',
  ]);
});

it('what roux does not know is people’s own, what Obsidian reads among it', () => {
  expect(['cssclasses', 'priority', 'source', 'group_id', 'relates_to', 'constructor'].filter(isReservedTaskKey)).toEqual([]);
  expect(['created', 'modified'].every(isReservedTaskKey)).toBe(true);
});
