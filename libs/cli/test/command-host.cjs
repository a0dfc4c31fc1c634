'use strict';

// Runs one command of the built CLI after the other, each with the environment and the folder that it is sent.
const { run } = require('@dacapo/cli');
const { liveTracers } = require('@dacapo/tracer/internal');

const ENVIRONMENT = { ...process.env };

process.on('message', async ({ args, env, folder }) => {
  process.chdir(folder);
  Object.assign(process.env, env);
  const printed = { out: '', err: '' };
  const exit = await run(args, {
    stdout: { write: (text) => (printed.out += text) },
    stderr: { write: (text) => (printed.err += text) },
    env: process.env,
    untilStopped: () => new Promise(() => {}),
    confirm: () => Promise.resolve(undefined),
    hostApplication: (variables) => Object.assign(process.env, variables),
  });
  // A refused command leaves the tracers of its application open, which the next command would find.
  for (const tracer of liveTracers()) await tracer.shutdown();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, ENVIRONMENT);
  process.send({ exit, ...printed });
});
