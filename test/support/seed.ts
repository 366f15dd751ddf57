import fc from 'fast-check';

/** Property tests look at the same cases in every run, so that a failure is the change's; `ROUX_SEED=random` looks further. */
const seed = process.env['ROUX_SEED'];
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed ?? 20_260_105) });
