/** Forwards messages to the server of a vault. A script of its own, so that a start without a server does not read it. */
export { checkCompatible } from './find-server.ts';
export { serveThrough } from './serve-through.ts';
