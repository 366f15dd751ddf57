import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { diagnose } from './diagnose.ts';
import { FINDING_KINDS } from './finding.ts';

/** A finding names this many files at most; the message names more. */
const MAX_PATHS = 20;
const MAX_MESSAGE = 500;

/** What is wrong in the vault, for agents that look after it. */
export const vaultHealth = defineOperation({
  name: 'vault_health',
  toolset: 'admin',
  title: 'Vault health',
  summary:
    'What is wrong in the vault: broken links, duplicate ids, bad frontmatter, conflicts, task cycles. Only looks; "roux doctor --fix" repairs.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    kinds: z.array(z.enum(FINDING_KINDS)).optional(),
    limit: z.int().min(1).max(200).default(50),
    rebuild: z.boolean().default(false),
  }),
  async run({ vault }, { kinds, limit, rebuild }) {
    await vault.refresh('changed');
    const all = await diagnose(vault, { rebuild });
    const chosen = kinds === undefined ? all : all.filter(({ kind }) => kinds.includes(kind));
    return {
      notes: vault.graph.size,
      counts: Object.fromEntries(
        FINDING_KINDS.flatMap((kind) => {
          const count = all.filter((finding) => finding.kind === kind).length;
          return count === 0 ? [] : [[kind, count]];
        }),
      ),
      findings: chosen.slice(0, limit).map(({ kind, paths, message, fix }) => ({
        kind,
        paths: paths.slice(0, MAX_PATHS),
        message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message,
        ...(fix === undefined ? {} : { fix: fix.summary }),
      })),
      total: chosen.length,
    };
  },
});
