/** For `node --require`: prints the port of each server of the process when it listens, one per line. */
const { Server } = require('node:net');

const { listen } = Server.prototype;

Server.prototype.listen = function (...args) {
  this.once('listening', () => {
    process.stdout.write(`listening on port ${this.address().port}\n`);
  });
  return listen.apply(this, args);
};
