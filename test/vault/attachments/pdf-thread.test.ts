import { EventEmitter } from 'node:events';
import { deflateSync } from 'node:zlib';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { openPdfThread } from '../../../src/vault/attachments/worker/pdf-thread.ts';
import type { PdfText, PdfThread, PdfThreadOptions } from '../../../src/vault/attachments/worker/pdf-thread.ts';
import { makePdf } from '../../support/pdf/make-pdf.ts';

async function withThread<T>(
  run: (read: (bytes: Buffer) => Promise<PdfText>, thread: PdfThread) => Promise<T>,
  options?: PdfThreadOptions,
): Promise<T> {
  const thread = openPdfThread(options);
  try {
    return await run((bytes) => thread.read(new Uint8Array(bytes)), thread);
  } finally {
    thread.close();
  }
}

/** A thread that runs this instead of reading PDFs; `reply` sends a message. */
const standIn =
  (script: string, resourceLimits = {}) =>
  (): Worker =>
    new Worker(
      `const { parentPort } = require('node:worker_threads');
    const reply = (message) => parentPort.postMessage(message);
    parentPort.once('message', () => { ${script} });`,
      { eval: true, resourceLimits },
    );

describe('the thread that reads PDFs', () => {
  it('R-09 reads the text of each page, plain or compressed, with words that a line divides as one', () =>
    withThread(async (read) => {
      const pages = ['Granite is hard.\nIt is igne-\nous rock.', '', 'Slate (splits) \\ well'];
      const read2 = ['Granite is hard.\nIt is igneous rock.', '', 'Slate (splits) \\ well'];
      for (const isCompressed of [false, true])
        expect(await read(makePdf(pages, { isCompressed }))).toEqual({ kind: 'read', pages: read2, isCut: false });
    }));

  it('R-09 tells which PDFs need a password and which are broken, and reads the next one', () =>
    withThread(async (read) => {
      expect(await read(makePdf(['secret'], { isEncrypted: true }))).toEqual({ kind: 'failed', why: 'encrypted' });
      for (const bytes of ['', 'no PDF at all', '%PDF-1.7\nnothing more']) {
        expect(await read(Buffer.from(bytes))).toEqual({ kind: 'failed', why: 'broken' });
      }
      expect(await read(makePdf(['still here']))).toMatchObject({ pages: ['still here'] });
    }));

  it('R-09 reads the pages of a damaged file that can be found', () =>
    withThread(async (read) => {
      const whole = makePdf(['first words', 'second words']);
      const damaged = Buffer.from(whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'), 'latin1');
      expect(await read(damaged)).toMatchObject({
        kind: 'read',
        pages: ['first words', 'second words'],
      });
    }));

  it('R-09 reads 2,000 pages, and says that there are more', () =>
    withThread(async (read) => {
      const many = (count: number): Buffer => makePdf(Array.from({ length: count }, (_, at) => `page number ${at + 1}`));
      const [all, more] = [await read(many(2_000)), await read(many(2_001))];
      for (const text of [all, more]) {
        if (text.kind !== 'read') throw new Error(text.why);
        expect(text.pages).toHaveLength(2_000);
        expect(text.pages.at(-1)).toBe('page number 2000');
      }
      expect([all, more]).toMatchObject([{ isCut: false }, { isCut: true }]);
    }));

  it('R-09 cuts a page that is too long, and says so', () =>
    withThread(async (read) => {
      const text = await read(makePdf([Array.from({ length: 10_000 }, () => 'words').join('\n'), 'next']));
      expect(text).toMatchObject({ kind: 'read', isCut: true, pages: [expect.any(String), 'next'] });
      expect(JSON.stringify(text).length).toBeLessThanOrEqual(60_100);
    }));

  it('R-09 ends a thread that hangs, with the pages that it gave, and starts another one', async () => {
    const hangs = standIn('for (;;);');
    expect(await withThread((read) => read(Buffer.from('x')), { startWorker: hangs, maxSilentMs: 50 })).toEqual({
      kind: 'failed',
      why: 'slow',
    });
    let count = 0;
    const hangsLater = (): Worker => {
      count += 1;
      const worker = Object.assign(new EventEmitter(), {
        unref: () => undefined,
        terminate: async () => 0,
        postMessage: (): void => undefined,
      });
      worker.postMessage = () => queueMicrotask(() => worker.emit('message', { kind: 'pages', pages: ['one'] }));
      return worker as unknown as Worker;
    };
    await withThread(
      async (read) => {
        for (const _ of [1, 2]) expect(await read(Buffer.from('x'))).toEqual({ kind: 'read', pages: ['one'], isCut: true });
      },
      { startWorker: hangsLater, maxSilentMs: 50 },
    );
    expect(count).toBe(2);
  });

  it('R-09 ends a thread that takes too much memory: in its heap, or in what it unpacks', async () => {
    const grows = standIn('const all = []; for (;;) all.push(new Array(1e5).fill(0).map(() => ({})));', { maxOldGenerationSizeMb: 32 });
    expect(await withThread((read) => read(Buffer.from('x')), { startWorker: grows })).toEqual({ kind: 'failed', why: 'memory' });
    const unpacks = standIn('const all = []; setInterval(() => all.push(Buffer.alloc(2 ** 24, 1)), 20);');
    expect(await withThread((read) => read(Buffer.from('x')), { startWorker: unpacks, maxGrowthBytes: 2 ** 27 })).toEqual({
      kind: 'failed',
      why: 'memory',
    });
  });

  it('R-09 a page that unpacks to much more than it is does not end the process', () =>
    withThread(async (read) => {
      const whole = makePdf(['short'], { isCompressed: true });
      const bomb = deflateSync(Buffer.alloc(50_000_000, 0x20));
      const [start, end] = [whole.indexOf('stream\n') + 7, whole.indexOf('\nendstream')];
      const bytes = Buffer.concat([whole.subarray(0, start), bomb, whole.subarray(end)]);
      const text = Buffer.from(bytes.toString('latin1').replace(/\/Length \d+\/Filter/, `/Length ${bomb.length}/Filter`), 'latin1');
      expect(await read(text)).toMatchObject({ kind: expect.stringMatching(/read|failed/) });
      expect(await read(makePdf(['still here']))).toMatchObject({ pages: ['still here'] });
    }));

  it('R-09 a thread that ends by itself is told from a broken PDF', async () => {
    const ends = standIn('process.exit(1);');
    expect(await withThread((read) => read(Buffer.from('x')), { startWorker: ends })).toEqual({ kind: 'failed', why: 'crashed' });
  });

  it('a closed thread refuses', () =>
    withThread(async (read, thread) => {
      const reading = read(makePdf(['words']));
      thread.close();
      await expect(reading).rejects.toThrow('closed');
      await expect(read(makePdf(['words']))).rejects.toThrow('closed');
    }));
});
