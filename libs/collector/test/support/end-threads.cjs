'use strict';

// Required by a collector's process before anything else: SIGUSR2 ends all threads of the database at their next step, wherever
// they are in a transaction. Each ends itself: a thread that another one terminates inside a native call takes the process with it.
const { getEnvironmentData, isMainThread, setEnvironmentData } = require('node:worker_threads');

const KEY = 'dacapo-threads-to-end';

if (isMainThread) {
  const rounds = new Int32Array(new SharedArrayBuffer(4));
  setEnvironmentData(KEY, rounds);
  process.on('SIGUSR2', () => Atomics.add(rounds, 0, 1));
} else {
  const rounds = getEnvironmentData(KEY);
  const started = Atomics.load(rounds, 0);
  const Database = require('libsql');
  const endIfRequested = () => {
    if (Atomics.load(rounds, 0) !== started) process.exit(1);
  };
  const endAfter = (prototype, names) => {
    for (const name of names) {
      const original = prototype[name];
      prototype[name] = function (...args) {
        endIfRequested();
        const result = original.apply(this, args);
        endIfRequested();
        return result;
      };
    }
  };
  const database = new Database(':memory:');
  endAfter(Object.getPrototypeOf(database.prepare('SELECT 1')), ['all', 'run']);
  endAfter(Database.prototype, ['exec', 'prepare']);
}
