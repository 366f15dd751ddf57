import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { seed } from './effort.ts';

/** What programs under test keep for their user belongs to the run, not to whoever runs it. */
process.env['XDG_STATE_HOME'] ??= mkdtempSync(join(tmpdir(), 'roux-state-'));

/** Property tests look at the same cases in every run, so that a failure is the change's. */
fc.configureGlobal({ seed });
