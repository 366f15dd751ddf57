import { RouxError } from '../errors.ts';
import type { WriteMeta } from '../vault/plan/plan.ts';
import type { OperationContext } from './operation.ts';

/** Who writes and how, from the context of a call; refuses with `READ_ONLY` where nothing may be written. */
export function writeMeta(context: OperationContext, operation: string): WriteMeta {
  if (context.isReadOnly) {
    throw new RouxError('READ_ONLY', `${operation} would write, and this server was started read-only.`, { operation });
  }
  return {
    operation,
    agent: context.agent,
    signal: context.signal,
    onProgress: (done, total) => context.progress(done, total, operation),
    ...(context.idempotencyKey === undefined ? {} : { idempotencyKey: context.idempotencyKey }),
    ...(context.payloadHash === undefined ? {} : { payloadHash: context.payloadHash }),
    ...(context.isDryRun === true ? { dryRun: true } : {}),
  };
}

/** Now, as answers and frontmatter say it: ISO 8601 UTC with milliseconds. */
export function timeOf({ vault }: Pick<OperationContext, 'vault'>): string {
  return new Date(vault.ports.clock.now()).toISOString();
}
