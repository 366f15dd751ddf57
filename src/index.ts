// The public API for programs that embed roux (`docs/examples/embed.ts`). Nothing else is public.

// Open a vault: load its settings, then open a host with them.
export { RouxError } from './errors.ts';
export type { ErrorCode } from './errors.ts';
export { loadConfig } from './system/settings-files/load-config.ts';
export type { Config, ConfigLayer } from './config.ts';
export { openHost, version } from './open-host.ts';
export type { VaultHost } from './open-host.ts';

// Operations: what tools and commands do, with validated arguments, and with the warnings in an answer.
export { operations } from './ops/all.ts';
export type { AnswerOf, ArgumentsOf, Operation } from './ops/operation.ts';
export type { Answer, Call, CallOptions, Caller, FilesChanged, Session } from './ops/session.ts';
export { withRetry } from './ops/memory/retry.ts';
export {
  KEY_VERSION,
  commandKey,
  conceptKey,
  dependencyKey,
  docKey,
  errorKey,
  fileKey,
  fingerprint8,
  fixKey,
  modeKey,
  runKey,
  toolKey,
  warningKey,
} from './ops/memory/stable-keys.ts';

// The vault below the operations: read, walk, search, plan and write.
export { isNotePath, toNotePath } from './note/path.ts';
export type { NotePath } from './note/path.ts';
export type { NoteChange } from './note/change.ts';
export type { Link, Note, Properties, PropertyValue } from './note/note.ts';
export type { GraphLink, GraphView, Lookup, NoteEntry } from './graph/view.ts';
export type { SearchAnswer, SearchHit, SearchRequest, SearchView } from './graph/search/search.ts';
export type { Committed, Expectation, FileChange, HistoryEvent, Plan, WriteMeta } from './vault/plan/plan.ts';
export type { NoteOnDisk } from './vault/sync/read-note-now.ts';
export type { Embeddings, EmbeddingStatus, ScoredKey, VectorCollection } from './graph/semantic/embeddings.ts';
export type { Vault } from './vault/vault.ts';
export type { EmbedderChoice } from './vault/embeddings/embedders.ts';
export type { Embedder, EmbedderSource, Machine } from './ports.ts';

// Serve a vault, over HTTP or another transport.
export type { Host, VaultState } from './faces/host.ts';
export { createMcpServer } from './faces/mcp/legacy/legacy-server.ts';
export type { McpCaller } from './faces/mcp/caller.ts';
export { serveHttp } from './faces/http/serve-http.ts';
export type { HttpFace } from './faces/http/serve-http.ts';
export type { ServeOptions } from './faces/http/vaults/door.ts';

// The memory tool of the Claude API over a folder of a vault, as `betaMemoryTool` of its SDK takes it.
export { createMemoryTool } from './faces/memory-tool/memory-tool.ts';
export type { MemoryAnswer, MemoryTool } from './faces/memory-tool/memory-tool.ts';
