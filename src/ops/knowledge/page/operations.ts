import type { Operation } from '../../operation.ts';
import { knowledgeEpisode } from './episode.ts';
import { factTimeline } from './fact-timeline.ts';

export const knowledgePageOperations: readonly Operation[] = [factTimeline, knowledgeEpisode];
