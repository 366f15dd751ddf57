/** The address of a server, and how clients authenticate. */
export interface ServerAddress {
  /** Such as `http://127.0.0.1:7411/mcp`. */
  readonly url: string;
  /** The bearer token, as written in a shell and in a file; null if the server requires none. */
  readonly token: { readonly inShell: string; readonly inFile: string } | null;
}

/** Returns what connects each client to the server: a command if the client has one, else lines for its configuration. */
export function clientLines({ url, token }: ServerAddress): readonly (readonly [client: string, line: string])[] {
  const header = token === null ? '' : ` --header "Authorization: Bearer ${token.inShell}"`;
  const headers = token === null ? {} : { headers: { Authorization: `Bearer ${token.inFile}` } };
  return [
    ['Claude Code', `claude mcp add --transport http roux ${url}${header}`],
    ['Gemini CLI', `gemini mcp add --scope user --transport http${header} roux ${url}`],
    ['VS Code', JSON.stringify({ servers: { roux: { type: 'http', url, ...headers } } })],
    ['Windsurf', JSON.stringify({ mcpServers: { roux: { serverUrl: url, ...headers } } })],
    ['Others', JSON.stringify({ mcpServers: { roux: { url, ...headers } } })],
  ];
}
