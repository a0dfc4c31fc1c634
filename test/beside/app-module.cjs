require('reflect-metadata');
const { setTimeout: delay } = require('node:timers/promises');
const { Controller, Get, Headers, Injectable, Module, Param } = require('@nestjs/common');
const { APP_FILTER } = require('@nestjs/core');
const { TracerModule, Traced } = require('@dacapo/nestjs');
const { createObserveModule } = require('@nestjs/observe');
const { ClsModule, ClsService } = require('nestjs-cls');
const { LoggerModule, PinoLogger } = require('nestjs-pino');
const { instrument } = require('./instrument.cjs');

const { ObserveModule, ObserveInstrument } = createObserveModule();

/** Parsed log lines of nestjs-pino. */
const lines = [];
/** Users that the traced method found in the store of nestjs-cls. */
const answered = [];

class Classifier {
  constructor(cls, logger) {
    this.cls = cls;
    this.logger = logger;
  }

  async classify(name) {
    const before = this.cls.get('user');
    if (name === 'broken') throw new Error('the model is unavailable');
    const otel = instrument.inside();
    await delay(Math.random() * 20);
    const answer = await this.model(name);
    const after = this.cls.get('user');
    this.logger.info({ user: after }, 'classified');
    answered.push({ user: name, before, after });
    return { user: after, answer, otel: { ...otel, after: instrument.inside() } };
  }

  async model(name) {
    await delay(Math.random() * 20);
    return `answer to ${name}`;
  }
}
decorate(Classifier, [Injectable()], [ClsService, PinoLogger], {
  classify: [Traced('support.classify')],
  model: [Traced('support.model', { type: 'llm' })],
});

class Tickets {
  constructor(classifier) {
    this.classifier = classifier;
  }

  open(name) {
    return this.classifier.classify(name);
  }
}
Param('name')(Tickets.prototype, 'open', 0);
Headers()(Tickets.prototype, 'open', 1);
decorate(Tickets, [Controller('tickets')], [Classifier], { open: [Get(':name')] });

class AppModule {}
decorate(
  AppModule,
  [
    Module({
      imports: [
        ...instrument.modules,
        ClsModule.forRoot({
          global: true,
          middleware: { mount: true, setup: (cls, request) => cls.set('user', request.headers['x-user']) },
        }),
        LoggerModule.forRoot({
          pinoHttp: { stream: { write: (line) => void lines.push(JSON.parse(line)) }, autoLogging: false },
        }),
        ObserveModule.forRoot({ appKey: 'key', appSecret: 'secret', serviceId: 'beside' }),
        TracerModule.forRoot({
          enrich: (context) => ({ sessionId: context.switchToHttp().getRequest().headers['x-user'] }),
        }),
      ],
      controllers: [Tickets],
      providers: [
        Classifier,
        ...(instrument.filter ? [{ provide: APP_FILTER, useClass: instrument.filter }] : []),
      ],
    }),
  ],
  [],
);

/** Applies decorators like a compiler. */
function decorate(type, decorators, parameters, methods = {}) {
  for (const [name, own] of Object.entries(methods)) {
    const descriptor = Object.getOwnPropertyDescriptor(type.prototype, name);
    Reflect.defineMetadata('design:paramtypes', [String], type.prototype, name);
    Object.defineProperty(type.prototype, name, Reflect.decorate(own, type.prototype, name, descriptor));
  }
  Reflect.defineMetadata('design:paramtypes', parameters, type);
  Reflect.decorate(decorators, type);
}

module.exports = { AppModule, ObserveInstrument, lines, answered };
