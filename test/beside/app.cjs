/**
 * One application with all observers at once. With fifty concurrent requests, each observer must see the same as without the
 * others. Exits with 1 on any difference.
 */
const { instrument, ended } = require('./instrument.cjs');
require('reflect-metadata');
const assert = require('node:assert/strict');
const { NestFactory } = require('@nestjs/core');
const { Tracer } = require('@dacapo/nestjs');
const { ObserveInstrument, AppModule, lines, answered } = require('./app-module.cjs');

const USERS = Array.from({ length: 50 }, (_, at) => `user-${at}`);

async function main() {
  const app = await NestFactory.create(AppModule, {
    instrument: ObserveInstrument,
    bufferLogs: true,
    logger: ['error', 'warn'],
  });
  app.enableShutdownHooks();
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${app.getHttpServer().address().port}`;

  const answers = await Promise.all(
    USERS.map(async (user) =>
      (await fetch(`${url}/tickets/${user}`, { headers: { 'x-user': user } })).json(),
    ),
  );
  assert.deepEqual(
    answers.map(({ user }) => user),
    USERS,
  );
  const failed = await fetch(`${url}/tickets/broken`, { headers: { 'x-user': 'mallory' } });
  assert.equal(failed.status, 500);

  // nestjs-cls: traced methods see the store of their request, also after an await.
  for (const { user, before, after } of answered) assert.deepEqual([before, after], [user, user]);
  assert.equal(answered.length, USERS.length);

  // nestjs-pino: each log line of a traced method belongs to its request.
  const logged = lines.filter(({ msg }) => msg === 'classified');
  assert.equal(new Set(logged.map(({ req }) => req.id)).size, USERS.length);
  for (const { user, req } of logged) assert.equal(req.headers['x-user'], user);

  const tracer = app.get(Tracer);
  assert.equal(await tracer.flush(10_000), true);
  await checkDacapo();
  instrument.check(answers);

  const { recorded, delivered, waiting } = tracer.stats();
  assert.deepEqual([delivered, waiting], [recorded, 0]);
  await app.close();
  await ended();
  return `${USERS.length} requests at once, ${instrument.names.join(', ')}`;
}

/** Expects one trace per request with its user and the service method, and no data of other users. */
async function checkDacapo() {
  const { TRACER_SERVICE_URL: service, TRACER_API_KEY: key } = process.env;
  const get = async (path) =>
    (await fetch(`${service}/api/v1${path}`, { headers: { 'API-Key': key } })).json();
  const { items } = await get('/traces?limit=200');
  assert.equal(items.length, USERS.length + 1);
  assert.deepEqual(items.map(({ session_id }) => session_id).sort(), [...USERS, 'mallory'].sort());
  for (const { id, session_id, status } of items) {
    const { spans } = await get(`/traces/${id}`);
    assert.deepEqual(
      spans.map(({ name }) => name),
      ['GET /tickets/:name', 'classify', 'model'].slice(0, session_id === 'mallory' ? 2 : 3),
    );
    assert.equal(status, session_id === 'mallory' ? 'error' : 'ok');
  }
}

main().then(
  (line) => {
    process.stdout.write(`${line}\n`);
  },
  (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  },
);
