import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEnvelope, MAX_HEAD_BYTES, isRepeated, collectPresent, readEnvelope, trimEnvelope } from '../../../src/ops/memory/envelope.ts';
import { checkRelation } from '../../../src/ops/memory/policy.ts';
import { retryDelay, withRetry } from '../../../src/ops/memory/retry.ts';
import * as keys from '../../../src/ops/memory/stable-keys.ts';

// The hashes below were computed with sha256sum, not with the code under test.
describe('stable keys', () => {
  it('S4-19 fingerprints join the five parts with a literal | and take missing ones as empty', () => {
    expect(keys.fingerprint8({ cmd: 'npm test', cwd: '/repo', exit: 1, stderrHead: 'boom' })).toBe('ac5dce11');
    expect(keys.fingerprint8({ cmd: 'ls' })).toBe('686a731a');
  });

  it('S4-18 each kind has its form', () => {
    const parts = { cmd: 'npm  test ', cwd: '/repo', exit: 1, stderrHead: 'boom' };
    expect(keys.runKey({ ...parts, cmd: 'npm test', at: '2026-01-05T10:00:00.000Z' })).toBe('run#2026-01-05T10:00:00.000Z#ac5dce11');
    expect(keys.commandKey({ ...parts, cmd: 'npm test' })).toBe('cmd#npm test#ac5dce11');
    expect(keys.dependencyKey({ name: 'ts-node', version: '10.9.2' })).toBe('dep#ts-node@10.9.2');
    expect(keys.dependencyKey({ name: 'ts-node' })).toBe('dep#ts-node');
    expect(keys.docKey('https://example.org/a')).toBe('doc#b5b10dd0429e69ac7cfaf0a20b6901c1265c50b55d1751bcb684ed96ef7b300a');
    expect(keys.fixKey({ issue: 'err#boom', strategy: 'pin', changes: ['a.ts'] })).toBe('fix#err#boom#c143d608');
    expect(keys.modeKey({ name: 'Issue Resolver', version: '2' })).toBe('mode#issue-resolver@2');
    expect(keys.toolKey({ name: 'eslint', version: '9.1.0' })).toBe('tool#eslint@9.1.0');
    expect(keys.fileKey('.\\src\\a.ts')).toBe('file#src/a.ts');
    expect(keys.conceptKey('Module resolution (ESM)')).toBe('concept#module-resolution-esm');
    expect(keys.conceptKey('記憶 の 道具')).toBe('concept#記憶-の-道具');
  });

  it('S4-20 a command is squeezed and cut to 120 characters without splitting one', () => {
    expect(keys.canonicalCommand('  npm\t run \n build ')).toBe('npm run build');
    expect(keys.canonicalCommand('x'.repeat(119) + '😀y')).toBe('x'.repeat(119) + '😀');
  });

  it.each([
    ['Cannot find module  "ts-node"', 'cannot find module "ts-node"'],
    ['Failed at commit 3f2a9bc1d0 of main', 'failed at commit of main'],
    ['requires react@18.2.0-rc.1 but 17.0.2 found', 'requires react@x.y.z but x.y.z found'],
    ['v1.2.3+build.5 is old', 'x.y.z is old'],
    ['job 123e4567-e89b-12d3-a456-426614174000 died', 'job died'],
    ['exit code 1234567 and facade', 'exit code 1234567 and facade'],
  ])('S4-20 version 1 of the message key: %s', (message, key) => {
    expect(keys.KEY_VERSION).toBe(1);
    expect(keys.normalizeMessage(message)).toBe(key);
  });

  it('S4-18 making a message key twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string(), (message) => {
        const once = keys.normalizeMessage(message);
        expect(keys.normalizeMessage(once)).toBe(once);
      }),
    );
  });

  it('S4-32 a deterministic kind with another name is named, other kinds are free', () => {
    expect(keys.checkStableName({ name: 'err#boom', entityType: 'Error' })).toBeNull();
    expect(keys.checkStableName({ name: 'Error 4711', entityType: 'Error' })).toContain('err#');
    expect(keys.checkStableName({ name: 'Alice', entityType: 'person' })).toBeNull();
  });
});

describe('envelopes', () => {
  const envelope = (fields: object): string =>
    JSON.stringify({ type: 'command.exec', ts: '2026-01-05T10:00:00.000Z', fingerprint: 'f1', data: {}, ...fields });

  it('S4-22 the allowed kinds pass and others are named', () => {
    expect(checkEnvelope(envelope({}))).toEqual([]);
    expect(checkEnvelope(envelope({ type: 'fix.outcome' }))).toEqual([]);
    expect(checkEnvelope(envelope({ type: 'chat' })).join()).toContain('"chat"');
    expect(checkEnvelope('{"type":').join()).toContain('does not parse');
    expect(checkEnvelope(envelope({ ts: 'yesterday' })).join()).toContain('ts');
  });

  it('S4-23 heads are cut to 8,192 bytes between characters', () => {
    const cut = readEnvelope(trimEnvelope(envelope({ data: { stdoutHead: 'é'.repeat(5000), code: 1 } })));
    const data = cut!.fields['data'] as Record<string, unknown>;
    expect(Buffer.byteLength(String(data['stdoutHead']))).toBe(MAX_HEAD_BYTES);
    expect(data['code']).toBe(1);
    const small = envelope({ data: { stdoutHead: 'ok' } });
    expect(trimEnvelope(small)).toBe(small);
    expect(trimEnvelope('plain text')).toBe('plain text');
  });

  it('S4-24 the same fingerprint is the same observation though the time differs', () => {
    const present = collectPresent([envelope({ ts: '2026-01-05T10:00:00.000Z' }), 'likes tea']);
    expect(isRepeated(envelope({ ts: '2026-02-05T10:00:00.000Z' }), present)).toBe(true);
    expect(isRepeated(envelope({ fingerprint: 'f2' }), present)).toBe(false);
    expect(isRepeated('likes tea', present)).toBe(true);
    expect(isRepeated('likes coffee', present)).toBe(false);
  });
});

describe('relations', () => {
  it('S4-26 the canonical relations know their ends', () => {
    expect(checkRelation({ relationType: 'EXECUTES', fromType: 'Run', toType: 'Command' })).toEqual([]);
    expect(checkRelation({ relationType: 'EMITS', fromType: 'Command', toType: 'Warning' })).toEqual([]);
    expect(checkRelation({ relationType: 'RESOLVES', fromType: 'Run', toType: 'Error' }).join()).toContain('fix');
    expect(checkRelation({ relationType: 'APPLIES', fromType: 'Run', toType: 'Fix' }).join()).toContain('not a canonical relation');
    expect(checkRelation({ relationType: 'EXECUTES', fromType: null, toType: 'Command' }).join()).toContain('"from"');
  });
});

describe('retry', () => {
  it('S4-29 tries three times with full jitter under a cap, and passes the last failure on', async () => {
    const waits: number[] = [];
    let calls = 0;
    const failing = withRetry(
      () => {
        calls += 1;
        return Promise.reject(Object.assign(new Error('busy'), { retryable: true }));
      },
      { random: () => 0.5, wait: (ms) => Promise.resolve(void waits.push(ms)) },
    );
    await expect(failing).rejects.toThrow('busy');
    expect(calls).toBe(3);
    expect(waits).toEqual([125, 250]);
    expect(retryDelay(10, { random: () => 1 })).toBe(4000);
    expect(retryDelay(0, { random: () => 0 })).toBe(0);
  });

  it('S4-29 does not repeat what cannot succeed', async () => {
    let calls = 0;
    await expect(withRetry(() => Promise.reject(new Error(`bad argument ${(calls += 1)}`)))).rejects.toThrow('bad argument 1');
    expect(calls).toBe(1);
  });
});
