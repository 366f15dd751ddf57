import type { Operation } from '../operation.ts';
import { vaultHealth } from './vault-health.ts';

/** The operations on a vault as a whole. */
export const careOperations: readonly Operation[] = [vaultHealth];
