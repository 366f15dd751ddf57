import { expect, it } from 'vitest';
import * as api from '../src/index.ts';

it('the public API is this list; a change to it is a decision', () => {
  expect(Object.keys(api).toSorted()).toEqual([
    'KEY_VERSION',
    'RouxError',
    'allOperations',
    'commandKey',
    'conceptKey',
    'configSchema',
    'createMcpServer',
    'dependencyKey',
    'docKey',
    'errorKey',
    'fileKey',
    'fingerprint8',
    'fixKey',
    'invoke',
    'loadConfig',
    'modeKey',
    'openHost',
    'openVault',
    'parseConfig',
    'runKey',
    'serveHttp',
    'systemPorts',
    'toolKey',
    'version',
    'warningKey',
    'withRetry',
  ]);
});
