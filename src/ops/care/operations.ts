import { defineToolset } from '../operation.ts';
import { audit } from './audit/audit.ts';
import { check } from './check/check.ts';
import { doctor } from './doctor.ts';
import { fsck } from './fsck.ts';
import { listTrash, noteHistory, restore, undo } from './history/history.ts';
import { acceptReview, review, reviewStale } from './history/review.ts';
import { okfCheck } from './okf/okf-check.ts';
import { okfExport } from './okf/okf-export.ts';
import { okfFiles, okfImport } from './okf/okf-import.ts';
import { okfIndex } from './okf/okf-index.ts';
import { vaultHealth } from './vault-health.ts';

/** Operations on the whole vault: the tool of `admin`, and internal ones. */
export const careToolset = defineToolset({
  name: 'admin',
  operations: [
    vaultHealth,
    check,
    doctor,
    audit,
    fsck,
    listTrash,
    noteHistory,
    restore,
    review,
    reviewStale,
    acceptReview,
    undo,
    okfCheck,
    okfExport,
    okfFiles,
    okfImport,
    okfIndex,
  ],
  prime: async ({ vault }) => (await import('../freshness/prime-stale.ts')).primeStale(vault),
  pageOperations: async () => (await import('./history/page-operations.ts')).historyPageOperations,
});
