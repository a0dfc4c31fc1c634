// Tries to end its process during a replay. The test passes the code of each hook in environment variables.
const { Tracer } = require('@dacapo/tracer');

const run = (hook) => new Function('require', process.env[hook] ?? '')(require);

const tracer = new Tracer({
  apiKey: process.env.TRACER_API_KEY,
  serviceUrl: process.env.TRACER_SERVICE_URL,
});
const shutdown = tracer.shutdown.bind(tracer);
tracer.shutdown = async () => {
  await run('ON_CLOSE');
  return shutdown();
};

let calls = 0;
exports.tracer = tracer;
exports.work = tracer.withSpan('work', async (n) => {
  calls += 1;
  await run('ON_CALL');
  if (calls === 3) await run('ON_LAST_CALL');
  return process.env.CHANGED === undefined ? n : -n;
});
run('ON_LOAD');
