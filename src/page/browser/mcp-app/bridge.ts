/** Capabilities of the host. */
export interface HostInfo {
  readonly canMessage: boolean;
  readonly canCallTools: boolean;
}

/** Receives messages of the host. */
export interface BridgeListener {
  readonly onInput: (args: Readonly<Record<string, unknown>>) => void;
  /** Receives the unchanged result of a tool. */
  readonly onResult: (result: unknown) => void;
  readonly onCancelled: () => void;
  readonly onContext: (context: Readonly<Record<string, unknown>>) => void;
}

/** A connection to the host by the MCP Apps extension (2026-01-26): JSON-RPC over `postMessage`. */
export interface Bridge {
  readonly host: HostInfo;
  /** Sends a message to the conversation as the user. The host may ask the user first. */
  readonly sendMessage: (text: string) => Promise<unknown>;
  readonly callTool: (name: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly tellSize: (size: { readonly width: number; readonly height: number }) => void;
}

type Message = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Connects to the parent window, and ignores messages of others. Resolves after the handshake. */
export async function openBridge(around: Window, listener: BridgeListener): Promise<Bridge> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  const post = (message: Message): void => around.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const ask = (method: string, params: Message): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      post({ id: lastId, method, params });
    });

  const hear = ({ method, params }: { readonly method: unknown; readonly params: unknown }): void => {
    const given = isRecord(params) ? params : {};
    if (method === 'ui/notifications/tool-input') listener.onInput(isRecord(given['arguments']) ? given['arguments'] : {});
    if (method === 'ui/notifications/tool-result') listener.onResult(given);
    if (method === 'ui/notifications/tool-cancelled') listener.onCancelled();
    if (method === 'ui/notifications/host-context-changed') listener.onContext(given);
  };
  addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source !== around || !isRecord(data) || data['jsonrpc'] !== '2.0') return;
    const { id, method, params, result, error } = data;
    if (method === undefined) {
      const one = waiting.get(Number(id));
      waiting.delete(Number(id));
      if (isRecord(error)) one?.reject(new Error(String(error['message'])));
      else one?.resolve(result);
    } else if (id === undefined) hear({ method, params });
    else if (method === 'ping' || method === 'ui/resource-teardown') post({ id, result: {} });
    else post({ id, error: { code: -32601, message: 'Method not found.' } });
  });

  const answer = await ask('ui/initialize', {
    appInfo: { name: 'roux-graph', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion: '2026-01-26',
  });
  const { hostCapabilities, hostContext } = isRecord(answer) ? answer : {};
  const can = isRecord(hostCapabilities) ? hostCapabilities : {};
  if (isRecord(hostContext)) listener.onContext(hostContext);
  post({ method: 'ui/notifications/initialized', params: {} });
  return {
    host: { canMessage: isRecord(can['message']), canCallTools: isRecord(can['serverTools']) },
    sendMessage: (text) => ask('ui/message', { role: 'user', content: [{ type: 'text', text }] }),
    callTool: (name, args) => ask('tools/call', { name, arguments: args }),
    tellSize: (size) => post({ method: 'ui/notifications/size-changed', params: size }),
  };
}
