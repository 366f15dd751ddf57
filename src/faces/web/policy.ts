/**
 * What the page may do, told to the browser: run its own files, ask its own server, show images that it fetched itself. No text becomes
 * a script, a style or HTML but through the page's one policy of that name (`src/page/parts/server-html.tsx`).
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types roux',
].join('; ');
