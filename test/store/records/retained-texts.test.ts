import { expect, it } from 'vitest';
import { hashOf } from '../../../src/store/folder/hash.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { createOrigin } from '../../../src/store/origin.ts';
import { TextFiles } from '../../../src/store/records/compact/retained-texts.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';

it('texts that are retained are copied at once: their memory may be used for the next ones', () =>
  withVault({}, async ({ root }) => {
    const [files, ports] = [openNodeFileSystem(root), testPorts()];
    const open = (): TextFiles => new TextFiles(files, createOrigin(files, ports), { newId: () => ports.newId(), now: () => Date.now() });
    const texts = open();
    const room = Buffer.alloc(11, 'heron heron');
    const hash = hashOf(room);
    const adding = texts.add([{ hash, bytes: room }]);
    room.fill('gull ');
    expect(String(texts.find(hash))).toBe('heron heron');
    await adding;
    for (const one of [texts, open()]) expect(String(one.find(hash))).toBe('heron heron');
  }));
