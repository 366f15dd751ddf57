import type { Operation } from '../../operation.ts';
import { activity } from './activity.ts';
import { activityDiff, undoPreview } from './activity-diff.ts';
import { undo } from './history.ts';
import { pageHistory } from './page-history.ts';

export const historyPageOperations: readonly Operation[] = [pageHistory, activity, activityDiff, undoPreview, undo];
