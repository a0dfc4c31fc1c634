/**
 * Measures the request path of one build without sockets: passes Node's request and response objects to the server of an
 * application with one untraced route. On a message with a number of batches, returns the µs per request of each.
 */
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Writable } from 'node:stream';

const BATCH = 40;
const [tree, platform, arm] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(tree), 'bench/nestjs/run.mjs'));
require('reflect-metadata');
const { Controller, Get, Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { TracerModule } = require('@dacapo/nestjs');

class PlainController {
  async get() {
    return { answer: 'plain', at: [1, 2, 3] };
  }
}
Get()(PlainController.prototype, 'get', Object.getOwnPropertyDescriptor(PlainController.prototype, 'get'));
Controller('plain')(PlainController);
const interceptor = arm === 'interceptor';
class App {}
Module({
  imports: [TracerModule.forRoot({ apiKey: 'bench', serviceUrl: 'http://127.0.0.1:9', interceptor })],
  controllers: [PlainController],
})(App);
const app = await NestFactory.create(App, adapter(), { logger: false });
await app.init();
if (platform === 'fastify') await app.getHttpAdapter().getInstance().ready();
const server = app.getHttpServer();

class DiscardingSocket extends Writable {
  remoteAddress = '127.0.0.1';
  _write(_chunk, _encoding, done) {
    done();
  }
  _writev(_chunks, done) {
    done();
  }
  setTimeout() {}
  ref() {}
  unref() {}
}
const socket = new DiscardingSocket({ autoDestroy: false });
socket.setMaxListeners(0);

if ((await answer()) !== 200) throw new Error(`The route of ${tree} did not return 200.`);
process.on('message', async (batches) => {
  const figures = [];
  for (let batch = 0; batch < batches; batch++) {
    const startedNs = process.hrtime.bigint();
    for (let request = 0; request < BATCH; request++) await answer();
    figures.push(Number(process.hrtime.bigint() - startedNs) / 1000 / BATCH);
  }
  process.send(figures);
});
process.send('ready');

function adapter() {
  if (platform === 'fastify') return new (require('@nestjs/platform-fastify').FastifyAdapter)();
  return new (require('@nestjs/platform-express').ExpressAdapter)();
}

/** Creates a request like Node's parser, waits for the response to end, and returns the status. */
function answer() {
  return new Promise((resolve) => {
    const request = new http.IncomingMessage(socket);
    Object.assign(request, { method: 'GET', url: '/plain', httpVersion: '1.1', complete: true });
    request.httpVersionMajor = request.httpVersionMinor = 1;
    request._addHeaderLines(['Host', '127.0.0.1:3000', 'Connection', 'keep-alive'], 4);
    const response = new http.ServerResponse(request);
    response.shouldKeepAlive = true;
    response.assignSocket(socket);
    response.on('finish', () => {
      response.detachSocket(socket);
      socket.removeAllListeners();
      process.nextTick(() => {
        response.destroyed = true;
        response._closed = true;
        response.emit('close');
        resolve(response.statusCode);
      });
    });
    server.emit('request', request, response);
  });
}
