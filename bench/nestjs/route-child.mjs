/** An application with one untraced route. Sends its port, then answers `cpu` with its CPU time in µs. */
import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { TracerModule } from '@dacapo/nestjs';

const [platform, arm] = process.argv.slice(2);

class PlainController {
  async get() {
    return { answer: 'plain', at: [1, 2, 3] };
  }
}
Get()(PlainController.prototype, 'get', Object.getOwnPropertyDescriptor(PlainController.prototype, 'get'));
Controller('plain')(PlainController);

const OPTIONS = { apiKey: 'bench', serviceUrl: 'http://127.0.0.1:9' };
const imports = {
  none: [],
  bare: [],
  module: [TracerModule.forRoot(OPTIONS)],
  enrich: [TracerModule.forRoot({ ...OPTIONS, enrich: () => ({ sessionId: 'session' }) })],
  interceptor: [TracerModule.forRoot({ ...OPTIONS, interceptor: true })],
}[arm];
class App {}
Module({ imports, controllers: [PlainController] })(App);

const adapter = platform === 'express' ? new ExpressAdapter() : new FastifyAdapter();
if (arm === 'bare') useContext(adapter);
const app = await NestFactory.create(App, adapter, { logger: false });
await app.listen(0, '127.0.0.1');
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuUs: user + system });
});
process.send({ port: app.getHttpServer().address().port });

/** A minimal request context where the module opens its own: one `run` of an `AsyncLocalStorage`. */
function useContext(server) {
  const storage = new AsyncLocalStorage();
  const open = (_request, _response, next) => storage.run({}, next);
  if (platform === 'express') server.use(open);
  else server.getInstance().addHook('onRequest', open);
}
