import { isLong } from '../effort.ts';

/** Windows in which every view is looked at: by day and by night, on a desk and on a phone; each of the four once in a long run, each value once in a short one. */
export const WINDOWS = (
  [
    ['light', 1280],
    ['light', 360],
    ['dark', 1280],
    ['dark', 360],
  ] as const
).filter(([colorScheme, width]) => isLong || (colorScheme === 'light') === (width === 1280));
