import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { seed } from './effort.ts';

/** What programs under test keep for their user, and how that user configures them, belongs to the run, not to whoever runs it. */
process.env['XDG_STATE_HOME'] ??= mkdtempSync(join(tmpdir(), 'roux-state-'));
process.env['XDG_CONFIG_HOME'] = join(process.env['XDG_STATE_HOME'], 'no-config');

/** Property tests look at the same cases in every run, so that a failure is the change's. */
fc.configureGlobal({ seed });
