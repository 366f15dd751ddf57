import { scopeText } from './scopes.ts';

/** The MCP server, which is what access is given to. */
export const MCP_PATH = '/mcp';
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
export const SERVER_METADATA = '/.well-known/oauth-authorization-server';

/** What clients ask for if they ask for all that there is: emptying a vault has to be asked for by name. */
export const COMMON_SCOPES = scopeText('write');

const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];
const SIGNING_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

/** Returns the metadata of the authorization server (RFC 8414). claude.ai takes the URL of a description as an id only if `none` is listed. */
export function describeServer(issuer: string, takesDocuments: boolean) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    scopes_supported: [...scopeText('admin').split(' '), 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: takesDocuments,
  };
}

/** Returns the metadata of the MCP server (RFC 9728). */
export function describeResource(issuer: string, resource: string) {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: COMMON_SCOPES.split(' '),
    bearer_methods_supported: ['header'],
    resource_name: 'roux',
  };
}
