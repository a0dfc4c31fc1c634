'use strict';

// Required by a collector's process before anything else: SIGUSR2 ends all threads that it has started, whatever they are at.
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  const threads = new Set();
  process.on('worker', (thread) => {
    threads.add(thread);
    thread.once('exit', () => threads.delete(thread));
  });
  process.on('SIGUSR2', () => {
    for (const thread of threads) void thread.terminate();
  });
}
