import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from './config.ts';
import { RouxError } from './errors.ts';
import type { Host } from './faces/host.ts';
import type { Operation } from './ops/operation.ts';
import type { Session } from './ops/session.ts';
import { programKey } from './program-key.ts';
import { findShare } from './sharing/find-share.ts';
import { createLiveConfig } from './system/live-config.ts';
import type { ConfigSource } from './system/live-config.ts';
import { thisMachine } from './system/machine.ts';
import { openServerFiles } from './system/server-files.ts';
import type { Extractor } from './ports.ts';
import { temporarySecret, systemPorts } from './system/system-ports.ts';
import type { EmbedderChoice } from './vault/embeddings/embedders.ts';
import type { Share } from './vault/sharing/share.ts';
import { getVaultState } from './vault/vault-state.ts';
import { userConfigFolder } from './system/user-folders.ts';
import type { Vault } from './vault/vault.ts';
import { startWatchdog } from './watchdog/watchdog.ts';

/** The version of this package. */
export const version: string = readVersion();

/** A host whose vault the program that opened it may use below the operations. */
export interface VaultHost extends Host {
  /** The vault, complete: to read, walk, plan and write without an operation. Rejects when it cannot be served. */
  vault(): Promise<Vault>;
}

/**
 * What the faces serve for one vault. Operations and vault load on first use: a client's first request waits for neither.
 * Follows the disk unless told otherwise; a program that ends after a few calls has no use for that.
 */
export function openHost(options: {
  readonly root: string;
  readonly config: Config;
  readonly isFollowing?: boolean;
  /** Writes are only tried: nothing at all is written below the vault, not even what makes the next start fast. */
  readonly isRehearsing?: boolean;
  /** The vault is gone when this process is: nothing about it is kept outside of it. */
  readonly isTemporary?: boolean;
  /** Told when what the last run kept is taken over, and when that is done. */
  readonly onWarmStart?: (isUnderWay: boolean) => void;
  /** Where the settings come from, to follow them too; without it they stay as they are. */
  readonly settings?: ConfigSource;
  /** The shared vault that it follows; the one that the user has it follow, unless told otherwise. */
  readonly share?: Share;
  /** What embeds, for search by meaning; as the settings say unless told otherwise. */
  readonly embedding?: EmbedderChoice;
  /** Where diagnostics go; the process's own unless told otherwise. */
  readonly stderr?: Pick<NodeJS.WritableStream, 'write'>;
}): VaultHost {
  const { root, config, isFollowing = true, isRehearsing = false, onWarmStart, embedding = embeddingOf(config, root), stderr } = options;
  const secret = options.isTemporary === true ? { secret: temporarySecret() } : {};
  const settings = createLiveConfig(config, options.settings ?? null);
  const ports = { ...systemPorts(config.log, stderr), ...secret, extractor: extractorOf(config) };
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
      const held = isRehearsing ? { ...config, readOnly: true } : config;
      const told = onWarmStart === undefined ? {} : { onWarmStart };
      const opened = openVault({
        root,
        config: held,
        ports,
        isFollowing,
        program: programKey(),
        embedding,
        share: options.share ?? findShare(root, ports),
        ...(isFollowing ? { watchMainThread: (isKeeping, onHeld) => startWatchdog({ root, canRecord: isKeeping }, onHeld) } : {}),
        ...told,
      });
      if (isStopped) opened.writes.stopWriting();
      // Whoever uses the vault hears of it when it cannot be served.
      if (isFollowing && !isRehearsing) resume(opened).catch(() => undefined);
      return opened;
    } catch (error) {
      throw hideRoot(error, resolve(root));
    }
  };
  const vaultOf = (): Promise<Vault> => (vault ??= loadVault());
  return {
    name: 'roux',
    version,
    root,
    config,
    log: ports.log,
    serverFiles: openServerFiles(root),
    async settingsFor({ flags, env, configFolder }) {
      if (configFolder !== userConfigFolder()) return null;
      const [{ loadConfig }, { settingLayer }] = await Promise.all([import('./system/load-config.ts'), import('./config.ts')]);
      // Who opened it here was allowed to.
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
    async remembered() {
      const { readCachedNotes: readRemembered } = await import('./vault/cache/cached-notes.ts');
      return readRemembered({ root, config, ports, program: programKey() });
    },
    state: async () => getVaultState(await vaultOf()),
    ready: async () => {
      const opened = await vaultOf();
      await opened.health.ready;
      return getVaultState(opened);
    },
    async vault() {
      const opened = await vaultOf();
      await opened.health.ready;
      return opened;
    },
    stopWriting() {
      isStopped = true;
      vault?.then((opened) => opened.writes.stopWriting()).catch(() => undefined);
    },
    close: async () => {
      const opened = await vault?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** A session whose code is loaded when it is first used: whoever asks what is offered does not wait for that. */
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

/** What embeds; looked for when it is first needed. */
function embeddingOf(config: Config, root: string): EmbedderChoice {
  const providers = () => import('./providers/choose-embedder.ts');
  return {
    choose: async () => (await providers()).chooseEmbedder(config, root),
    findPrevious: async (id) => (await providers()).findPreviousEmbedder(config, root, id),
    machine: thisMachine(),
    delayMs: 5_000,
  };
}

/** The endpoint that reads facts from episodes, where the user names one; loaded when it is first asked. */
function extractorOf({ extract }: Config): Extractor | null {
  const { url, key, model, timeoutSeconds } = extract;
  if (url === undefined) return null;
  let opened: Promise<Extractor> | undefined;
  const open = async (): Promise<Extractor> =>
    (await import('./providers/extract-chat.ts')).chatExtractor({ url, key, model, timeoutMs: timeoutSeconds * 1000 });
  return { id: `chat:${model ?? 'default'}`, extract: async (episode, signal) => (await (opened ??= open())).extract(episode, signal) };
}

/** Goes on with what was accepted for the knowledge graph and is not done: in a process that stays. */
async function resume(vault: Vault): Promise<void> {
  await vault.health.ready;
  const { resumeIngestion } = await import('./ops/knowledge/ingest/resume.ts');
  resumeIngestion(vault);
}

/** Where on this machine the vault lies is nothing for callers, who may be anybody that the server lets in. */
function hideRoot(error: unknown, root: string): unknown {
  if (!(error instanceof RouxError)) return error;
  return new RouxError(error.code, error.message.replaceAll(root, 'The folder of the vault'), undefined, { cause: error });
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0.0.0';
}
