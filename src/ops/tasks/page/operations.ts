import type { Operation } from '../../operation.ts';
import { taskBoard } from './task-board.ts';
import { resolvePreview, taskDetail } from './task-detail.ts';

export const taskPageOperations: readonly Operation[] = [taskBoard, taskDetail, resolvePreview];
