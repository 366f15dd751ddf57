import * as z from 'zod';

/** The `next_cursor` of the last page: the number of entries before the next one. For lists that are sorted again for each page. */
export const pageCursor = z
  .string()
  .regex(/^\d{1,9}$/)
  .optional();
