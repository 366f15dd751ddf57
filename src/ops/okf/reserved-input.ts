import * as z from 'zod';

/** Asks for what lists and search leave out: the files whose names the Open Knowledge Format reserves. */
export const reservedInput = z.boolean().default(false).describe('Instead: index.md and log.md of OKF bundles').meta({ unlisted: true });
