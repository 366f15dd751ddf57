import type { GraphView } from '../../graph/view.ts';
import type { Machine, Ports } from '../../ports.ts';
import type { FileReader } from '../../store/folder/file-system.ts';
import type { ProcessIdentity } from '../../store/folder/process-identity.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import { createLease } from '../embeddings/lease.ts';
import type { Lease } from '../embeddings/lease.ts';
import { Throttle } from '../embeddings/throttle.ts';
import { AttachmentTexts } from './attachment-texts.ts';
import { TextCache } from './text-cache.ts';
import type { PdfThreadOptions } from './worker/pdf-thread.ts';

/** What the texts of attachments are opened with. */
export interface OpenTextsOptions {
  readonly files: FileReader;
  readonly graph: GraphView;
  readonly cacheFiles: CacheFiles;
  readonly self: ProcessIdentity;
  readonly ports: Ports;
  readonly machine: Machine;
  /** Whether this process keeps running, so that it reads files in the background. */
  readonly isFollowing: boolean;
  /** Whether it may save what it reads. */
  readonly canPersist: boolean;
  readonly thread?: PdfThreadOptions;
  readonly isHidden: (path: string) => boolean;
}

/** For a vault where nothing may be written: each process reads for itself. */
const NO_LEASE: Lease = { tryAcquire: async () => true, release: async () => undefined };

/** Opens the texts of the attachments of a vault. No file is looked at before the start or the first query. */
export function openAttachmentTexts(options: OpenTextsOptions): AttachmentTexts {
  const { files, graph, cacheFiles, self, ports, isFollowing, canPersist, isHidden } = options;
  return new AttachmentTexts({
    files,
    graph,
    cache: new TextCache(cacheFiles, { canSave: canPersist }),
    openThread: async () => (await import('./worker/pdf-thread.ts')).openPdfThread(options.thread),
    images: ports.images ?? null,
    lease: canPersist ? createLease(cacheFiles, self, ports.clock, { name: 'reading-attachments' }) : NO_LEASE,
    throttle: new Throttle(options.machine),
    log: ports.log,
    canRead: isFollowing,
    isHidden,
  });
}
