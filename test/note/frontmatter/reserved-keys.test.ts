import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isReservedKey, isReservedTaskKey } from '../../../src/note/frontmatter/reserved-keys.ts';
import { repositoryRoot } from '../../support/vault.ts';

it('the keys of the table in docs/format.md are reserved and no others: those of tasks in tasks alone, and `kind` is a property that the memory tools read', () => {
  const format = readFileSync(join(repositoryRoot, 'docs/format.md'), 'utf8');
  const [, table = ''] = /## Frontmatter\n(.*?)\n## /s.exec(format) ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const keys = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, key = '']) => key));
  expect(keys).toContain('depends_on');
  expect(keys.filter((key) => !isReservedTaskKey(key))).toEqual(['kind']);
  expect(keys.filter((key) => !isReservedKey(key))).toEqual([
    'resolved',
    'state',
    'summary',
    'blocked',
    'context_links',
    'evidence',
    'evidence_notes',
    'kind',
  ]);
});

it('what roux does not know is people’s own, what Obsidian reads among it', () => {
  expect(['cssclasses', 'priority', 'source', 'group_id', 'relates_to', 'constructor'].filter(isReservedTaskKey)).toEqual([]);
  expect(['summary', 'state', 'evidence'].filter(isReservedKey)).toEqual([]);
  expect(['created', 'modified'].every(isReservedKey)).toBe(true);
});
