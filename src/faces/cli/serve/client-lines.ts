/** The address of a server, and how clients authenticate. */
export interface ServerAddress {
  /** What clients call it; `roux` by default. */
  readonly name?: string;
  /** Such as `http://127.0.0.1:7411/mcp`. */
  readonly url: string;
  /** The bearer token, as written in a shell and in a file; null if the server requires none. */
  readonly token: { readonly inShell: string; readonly inFile: string } | null;
}

/** Returns what connects each client to the server: a command if the client has one, else lines for its configuration. */
export function clientLines({ name = 'roux', url, token }: ServerAddress): readonly (readonly [client: string, line: string])[] {
  const header = token === null ? '' : ` --header "Authorization: Bearer ${token.inShell}"`;
  const headers = token === null ? {} : { headers: { Authorization: `Bearer ${token.inFile}` } };
  return [
    ['Claude Code', `claude mcp add --transport http ${name} ${url}${header}`],
    ['Gemini CLI', `gemini mcp add --scope user --transport http${header} ${name} ${url}`],
    ['VS Code', JSON.stringify({ servers: { [name]: { type: 'http', url, ...headers } } })],
    ['Windsurf', JSON.stringify({ mcpServers: { [name]: { serverUrl: url, ...headers } } })],
    ['Others', JSON.stringify({ mcpServers: { [name]: { url, ...headers } } })],
  ];
}
