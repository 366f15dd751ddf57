import { defineToolset } from '../operation.ts';
import { audit } from './audit/audit.ts';
import { doctor } from './doctor.ts';
import { fsck } from './fsck.ts';
import { listTrash, noteHistory, restore, undo } from './history/history.ts';
import { acceptReview, review, reviewStale } from './history/review.ts';
import { vaultHealth } from './vault-health.ts';

/** Operations on the whole vault: the tool of `admin`, and internal ones. */
export const careToolset = defineToolset({
  name: 'admin',
  operations: [vaultHealth, doctor, audit, fsck, listTrash, noteHistory, restore, review, reviewStale, acceptReview, undo],
  pageOperations: async () => (await import('./history/page-operations.ts')).historyPageOperations,
});
