import { vaultHealth } from '../../../ops/care/vault-health.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { defineOperationCommand, LIMIT, statusOfList } from '../operation-command.ts';

/** `roux duplicates`: notes that may be copies of one another. */
export const duplicates = defineOperationCommand({
  operation: vaultHealth,
  name: 'duplicates',
  summary: 'notes with the same or nearly the same text, or with the name of a copy',
  group: 'read',
  positionals: [],
  options: { limit: { ...LIMIT, default: 50 } },
  prepare: (args) => ({ ...args, kinds: ['duplicate' as const] }),
  show({ findings, counts }, { print, note }) {
    for (const { message } of findings) print(visibleLine(message));
    const left = (counts.duplicate ?? 0) - findings.length;
    if (left > 0) note(`${left} more; --limit shows them.`);
  },
  status: ({ findings }) => statusOfList(findings),
  emptyText: 'No duplicates.',
});
