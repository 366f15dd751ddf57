import { careOperations } from './care/operations.ts';
import { memoryOperations } from './memory/operations.ts';
import { noteOperations } from './notes/operations.ts';
import { ontologyOperations } from './ontology/operations.ts';
import type { Operation } from './operation.ts';
import { taskOperations } from './tasks/operations.ts';

/** Every operation there is. What callers are offered is chosen from it in `toolsets.ts`. */
export const allOperations: readonly Operation[] = [
  ...noteOperations,
  ...taskOperations,
  ...memoryOperations,
  ...ontologyOperations,
  ...careOperations,
];
