// Loaded before a server written for node: it then listens on a free port of the
// loopback interface, whatever it asks for, and says which.
const net = require('node:net');
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  this.once('listening', () => console.error(`listening on http://127.0.0.1:${this.address().port} `));
  return listen.call(this, 0, '127.0.0.1', args.find((arg) => typeof arg === 'function'));
};
