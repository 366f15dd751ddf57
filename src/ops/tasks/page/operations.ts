import type { Operation } from '../../operation.ts';
import { claimTask } from './claim-task.ts';
import { taskBoard } from './task-board.ts';
import { resolvePreview, taskDetail } from './task-detail.ts';

export const taskPageOperations: readonly Operation[] = [taskBoard, taskDetail, resolvePreview, claimTask];
