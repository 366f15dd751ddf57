import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** What a test asks of the host of an app; it runs in the browser, as a chat client would. */
interface TestHost {
  /** Shows a page in a frame that may run scripts and nothing else, and resolves when it has said hello. */
  open(html: string, options: { readonly theme: 'light' | 'dark'; readonly capabilities: object }): Promise<void>;
  send(args: Record<string, unknown>, text: string, isError?: boolean): Promise<void>;
  context(context: Readonly<Record<string, unknown>>): Promise<void>;
  readonly messages: unknown[];
  readonly calls: unknown[];
  readonly sizes: unknown[];
  /** What tools answer that the app calls, by name. */
  readonly answers: Record<string, string>;
}

let bridge: AppBridge | null = null;

const host: TestHost = {
  messages: [],
  calls: [],
  sizes: [],
  answers: {},
  async open(html, { theme, capabilities }) {
    const frame = document.createElement('iframe');
    frame.title = 'App';
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.style.cssText = 'width: 100%; height: 600px; border: 0';
    document.body.replaceChildren(frame);
    const opened = new AppBridge(null, { name: 'TestHost', version: '1' }, capabilities, { hostContext: { theme } });
    opened.onmessage = async (message) => {
      host.messages.push(message);
      return {};
    };
    opened.oncalltool = async ({ name, arguments: args }) => {
      host.calls.push({ name, args });
      return { content: [{ type: 'text', text: host.answers[name] ?? 'null' }] };
    };
    opened.onsizechange = (size) => void host.sizes.push(size);
    const greeted = new Promise<void>((resolve) => (opened.oninitialized = () => resolve()));
    const { contentWindow } = frame;
    if (contentWindow === null) throw new Error('The frame has no window.');
    await opened.connect(new PostMessageTransport(contentWindow, contentWindow));
    frame.srcdoc = html;
    await greeted;
    bridge = opened;
  },
  async send(args, text, isError = false) {
    await bridge?.sendToolInput({ arguments: args });
    await bridge?.sendToolResult({ content: [{ type: 'text', text }], ...(isError ? { isError } : {}) });
  },
  async context(context) {
    bridge?.setHostContext(context);
  },
};

Object.assign(globalThis, { host });
