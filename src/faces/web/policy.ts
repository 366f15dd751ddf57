/**
 * The Content-Security-Policy of the page: it may run its own files, call its own server and show images that it fetched itself. HTML,
 * scripts and styles can only be created through the page's one trusted-types policy (`src/page/browser/parts/server-html.tsx`).
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
