import { careOperations } from './care/operations.ts';
import { memoryOperations } from './memory/operations.ts';
import { noteOperations } from './notes/operations.ts';
import { ontologyOperations } from './ontology/operations.ts';
import type { Operation } from './operation.ts';
import { taskOperations } from './tasks/operations.ts';

/** Every operation there is. Which of them a client is offered as tools is chosen in `toolsets.ts`. */
export const allOperations: readonly Operation[] = [
  ...noteOperations,
  ...taskOperations,
  ...memoryOperations,
  ...ontologyOperations,
  ...careOperations,
];
