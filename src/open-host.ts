import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from './config.ts';
import { RouxError } from './errors.ts';
import type { Host } from './faces/host.ts';
import type { Operation } from './ops/operation.ts';
import type { Session } from './ops/session.ts';
import { programKey } from './program-key.ts';
import { nameProcess, thisProcess } from './store/folder/process-identity.ts';
import { findShare } from './sharing/find-share.ts';
import { createLiveConfig } from './system/settings-files/live-config.ts';
import type { ConfigSource } from './system/settings-files/live-config.ts';
import { thisMachine } from './system/machine.ts';
import { openServerFiles } from './system/server-files.ts';
import type { Extractor, ImageReader } from './ports.ts';
import { temporarySecret, systemPorts } from './system/system-ports.ts';
import type { EmbedderChoice } from './vault/embeddings/embedders.ts';
import type { Share } from './vault/sharing/share.ts';
import { getVaultState } from './vault/vault-state.ts';
import { userConfigFolder } from './system/user-folders.ts';
import type { VaultOptions } from './vault/vault-options.ts';
import type { Vault } from './vault/vault.ts';
import { startWatchdog } from './watchdog/watchdog.ts';

/** The version of this package. */
export const version: string = readVersion();

/** A host that also gives its program direct access to the vault. */
export interface VaultHost extends Host {
  /** Returns the vault once it is completely read. Rejects if it cannot be served. */
  vault(): Promise<Vault>;
}

/** How a host is opened. */
interface HostOptions extends Pick<VaultOptions, 'onHeavyWork'> {
  readonly root: string;
  readonly config: Config;
  readonly isFollowing?: boolean;
  /** Whether nothing at all may be written in the vault, not even the cache for the next start. */
  readonly isRehearsing?: boolean;
  /** Whether the vault exists only during this process: nothing about it is stored elsewhere, and no cache for a next start. */
  readonly isTemporary?: boolean;
  /** Whether this process ends when the one that started it does. */
  readonly endsWithParent?: boolean;
  /** The source of the settings, which is watched for changes; by default the settings stay fixed. */
  readonly settings?: ConfigSource;
  /** The shared vault to follow; by default the one recorded for this folder. */
  readonly share?: Share;
  /** The embedder for semantic search; by default as the settings say. */
  readonly embedding?: EmbedderChoice;
  /** The stream for diagnostics; by default stderr of the process. */
  readonly stderr?: Pick<NodeJS.WritableStream, 'write'>;
}

/**
 * Creates the host of a vault. Operations and vault are loaded on first use, so that a client's first request waits for neither. The disk
 * is watched unless `isFollowing` is false, for programs that end after a few calls.
 */
export function openHost(options: HostOptions): VaultHost {
  const { root, config, isFollowing = true, isRehearsing = false, embedding = embedderOf(config, root), stderr } = options;
  const isTemporary = options.isTemporary === true;
  const parent = options.endsWithParent === true ? process.ppid : null;
  const secret = isTemporary ? { secret: temporarySecret() } : {};
  const settings = createLiveConfig(config, options.settings ?? null);
  const ports = { ...systemPorts(config.log, stderr), ...secret, extractor: extractorOf(config), images: imageReaderOf(config, root) };
  let operations: Promise<readonly Operation[]> | undefined;
  let vault: Promise<Vault> | undefined;
  let isStopped = false;
  const loadOperations = async () => {
    const [{ allOperations }, { chooseOperations }] = await Promise.all([import('./ops/all.ts'), import('./ops/toolsets.ts')]);
    return chooseOperations(allOperations, config);
  };
  const loadVault = async () => {
    const { openVault } = await import('./vault/open-vault.ts');
    try {
      const opened = openVault({
        root,
        config: isRehearsing ? { ...config, readOnly: true } : config,
        ports,
        isFollowing,
        ...(isTemporary ? {} : { program: programKey() }),
        embedding,
        share: options.share ?? findShare(root, ports),
        ...(isFollowing ? { watchMainThread: (isKeeping, onHeld) => startWatchdog({ root, canRecord: isKeeping, parent }, onHeld) } : {}),
        onHeavyWork: options.onHeavyWork,
      });
      if (isStopped) opened.writes.stopWriting();
      // If the vault cannot be served, its users get the error.
      if (isFollowing && !isRehearsing) resume(opened).catch(() => undefined);
      return opened;
    } catch (error) {
      // It may be back when it is asked for again.
      if (error instanceof RouxError && error.code === 'VAULT_NOT_FOUND') vault = undefined;
      throw hideRoot(error, resolve(root));
    }
  };
  const vaultOf = (): Promise<Vault> => (vault ??= loadVault());
  const readVault = (): Promise<Vault> => whenRead(vaultOf());
  return {
    name: 'roux',
    version,
    root,
    config,
    log: ports.log,
    serverFiles: openServerFiles(root),
    async settingsFor({ flags, env, configFolder }) {
      if (configFolder !== userConfigFolder()) return null;
      const [{ loadConfig }, { settingLayer }] = await Promise.all([
        import('./system/settings-files/load-config.ts'),
        import('./config.ts'),
      ]);
      // The folder's owner was checked when this process opened it.
      return loadConfig({ vaultRoot: root, env, flags: flags.map(settingLayer), mayBeOthers: true });
    },
    operations: () => (operations ??= loadOperations()),
    pageOperations: async () => (await import('./ops/all.ts')).loadPageOperations(),
    openSession: (caller) =>
      lazySession(async () => {
        const { VaultSession } = await import('./ops/session.ts');
        const toolsets = async () => (await import('./ops/all.ts')).allToolsets;
        return new VaultSession({ openVault: vaultOf, config, settings, toolsets }, caller);
      }),
    processName: nameProcess(thisProcess()).name,
    leave: async (connection) => (vault === undefined ? undefined : leave(await vault, connection)),
    async remembered() {
      const { readCachedNotes: readRemembered } = await import('./vault/cache/cached-notes.ts');
      return readRemembered({ root, config, ports, program: programKey() });
    },
    state: async () => getVaultState(await vaultOf()),
    ready: async () => getVaultState(await readVault()),
    vault: readVault,
    stopWriting() {
      isStopped = true;
      vault?.then((opened) => opened.writes.stopWriting()).catch(() => undefined);
    },
    close: async () => (await vault?.catch(() => undefined))?.close(),
  };
}

/** Resolves once a vault is completely read. */
async function whenRead(opening: Promise<Vault>): Promise<Vault> {
  const opened = await opening;
  await opened.health.ready;
  return opened;
}

/** Returns a session whose code is loaded on first use, so that listing what is offered does not wait for it. */
function lazySession(open: () => Promise<Session>): Session {
  let opened: Promise<Session> | undefined;
  const session = (): Promise<Session> => (opened ??= open());
  return {
    run: async (operation, args, options) => (await session()).run(operation, args, options),
    call: async (call) => (await session()).call(call),
    follow: async (listener) => (await session()).follow(listener),
    state: async () => (await session()).state(),
  };
}

/** Returns the embedder that the settings choose. It is looked for when it is first needed. */
function embedderOf(config: Config, root: string): EmbedderChoice {
  const providers = () => import('./providers/choose-embedder.ts');
  return {
    choose: async () => (await providers()).chooseEmbedder(config, root),
    findPrevious: async (id) => (await providers()).findPreviousEmbedder(config, root, id),
    machine: thisMachine(),
    delayMs: 5_000,
  };
}

/** Returns the extractor of the configured endpoint, loaded on first use; null if none is configured. */
function extractorOf({ extract }: Config): Extractor | null {
  const { url, key, model, timeoutSeconds } = extract;
  if (url === undefined) return null;
  let opened: Promise<Extractor> | undefined;
  const open = async (): Promise<Extractor> =>
    (await import('./providers/extract-chat.ts')).chatExtractor({ url, key, model, timeoutMs: timeoutSeconds * 1000 });
  return { id: `chat:${model ?? 'default'}`, extract: async (episode, signal) => (await (opened ??= open())).extract(episode, signal) };
}

/** Returns the reader of pictures that the user's command is, loaded on first use; null if none is configured. */
function imageReaderOf({ ocr: { command } }: Config, root: string): ImageReader | null {
  if (command === undefined) return null;
  return {
    id: `command ${JSON.stringify(command)}`,
    async read(bytes, extension, signal) {
      const { createImageReader } = await import('./providers/ocr-command.ts');
      return createImageReader(command, { vault: root })(bytes, extension, signal);
    },
  };
}

/** Ends what a connection holds. */
async function leave(vault: Vault, connection: string): Promise<void> {
  const { connectedAgentsOf } = await import('./vault/claims/connected-agents.ts');
  connectedAgentsOf(vault).remove((each) => each === connection);
  const { allToolsets } = await import('./ops/all.ts');
  for (const { callers } of allToolsets) await callers?.leave(vault, connection);
}

/** Resumes ingestion that an earlier process accepted and did not finish, looks after what callers of other processes left, and keeps generated indexes up to date. */
async function resume(vault: Vault): Promise<void> {
  await vault.health.ready;
  const [{ resumeIngestion }, { keepIndexes }] = await Promise.all([
    import('./ops/knowledge/ingest/resume.ts'),
    import('./ops/okf/keep-indexes.ts'),
  ]);
  resumeIngestion(vault);
  if (vault.settings.config.readOnly) return;
  keepIndexes(vault);
  const { allToolsets } = await import('./ops/all.ts');
  for (const { callers } of allToolsets) callers?.watch(vault);
}

/** Hides the vault's location on this machine from callers, who may be any client of the server. */
function hideRoot(error: unknown, root: string): unknown {
  if (!(error instanceof RouxError)) return error;
  return new RouxError(error.code, error.message.replaceAll(root, 'The folder of the vault'), undefined, { cause: error });
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0.0.0';
}
