// The public API: what programs that embed roux may build on. Nothing else is public.
export { configSchema, parseConfig } from './config.ts';
export type { Config, ConfigLayer } from './config.ts';
export { RouxError } from './errors.ts';
export type { ErrorCode } from './errors.ts';
export { loadConfig } from './load-config.ts';
export { openHost, version } from './open-host.ts';
export type { Host, VaultState } from './faces/host.ts';
export { createMcpServer } from './faces/mcp/server.ts';
export { serveHttp } from './faces/http/serve-http.ts';
export type { HttpFace, Route } from './faces/http/serve-http.ts';
export { allOperations } from './ops/all.ts';
export { invoke } from './ops/invoke.ts';
export type { Operation, OperationContext } from './ops/operation.ts';
export type { Answer, Session } from './ops/session.ts';
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
export { withRetry } from './ops/memory/retry.ts';
export type { Ports } from './ports.ts';
export { systemPorts } from './system-ports.ts';
export { openVault } from './vault/open-vault.ts';
export type { Plan, WriteMeta } from './vault/plan/plan.ts';
export type { Vault } from './vault/vault.ts';
