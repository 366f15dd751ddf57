import * as z from 'zod';

/** The `next_cursor` of the page before, for lists that are sorted anew for each page: the number of entries before it. */
export const pageCursor = z
  .string()
  .regex(/^\d{1,9}$/)
  .optional();
