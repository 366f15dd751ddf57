// Loaded before the program: it ends the process that wants to reach another machine.
import net from 'node:net';

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  // As Node itself reads them: `{ port, host }`, or a port and a host; a path is a socket of this machine.
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  const host = typeof first === 'object' ? (first.path ?? first.host ?? 'localhost') : (args[1] ?? 'localhost');
  if (!/^(?:127\.|::1$|localhost$|\/)/.test(String(host))) {
    process.stderr.write(`a connection to ${String(host)} was tried\n`);
    process.exit(99);
  }
  return connect.apply(this, args);
};
