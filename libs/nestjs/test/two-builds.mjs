/**
 * An application of ES modules with a class that a CommonJS dependency decorated: `node two-builds.mjs`. Prints what it recorded, and
 * whether the classes of each build recognize the errors of the other.
 */
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import * as imported from '@dacapo/nestjs';
import { TracerTestingModule } from '@dacapo/nestjs/testing';

const required = createRequire(import.meta.url)('@dacapo/nestjs');

function decorate(target, name, decorator) {
  const descriptor = Object.getOwnPropertyDescriptor(target.prototype, name);
  decorator(target.prototype, name, descriptor);
  Object.defineProperty(target.prototype, name, descriptor);
}

class Prices {
  total(cents) {
    return this.rounded(cents) + 1;
  }
  rounded(cents) {
    return Math.round(cents);
  }
}
decorate(Prices, 'rounded', required.Traced('prices.rounded'));

class ShopPrices extends Prices {
  total(cents) {
    return super.total(cents);
  }
}
decorate(ShopPrices, 'total', imported.Traced('prices.total'));

class AppModule {}
Module({ imports: [TracerTestingModule.forRoot()], providers: [ShopPrices] })(AppModule);

const listeners = process.listenerCount('exit');
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
app.get(ShopPrices).total(1.2);
const { spans } = app.get(TracerTestingModule);
const keys = new Map(spans.map((span) => [span.id, span.trace_function_key]));
const catchError = ({ Traced }) => {
  try {
    Traced('')(Prices.prototype, 'total', {});
  } catch (error) {
    return error;
  }
};
console.log(
  JSON.stringify({
    isOneBuild: required.Traced === imported.Traced,
    spans: spans.map(({ trace_function_key: key, parent_id: parent }) => [key, keys.get(parent) ?? null]),
    recognized: [
      catchError(required) instanceof imported.NestjsTracerError,
      catchError(imported) instanceof required.NestjsTracerError,
    ],
    addedExitListeners: process.listenerCount('exit') - listeners,
  }),
);
await app.close();
