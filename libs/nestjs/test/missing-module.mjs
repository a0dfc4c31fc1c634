/** Calls a decorated method twice in its own process, with or without a module: `node missing-module.mjs [module]`. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Traced, TracerModule } from '@dacapo/nestjs';

class Orders {
  below(cents) {
    return cents;
  }
}
const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, 'below');
Traced('orders.below')(Orders.prototype, 'below', descriptor);
Object.defineProperty(Orders.prototype, 'below', descriptor);

class AppModule {}
Module({
  imports: process.argv.includes('module') ? [TracerModule.forRoot({ enabled: false })] : [],
  providers: [Orders],
})(AppModule);

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['warn'] });
const orders = app.get(Orders);
console.log(orders.below(1) + orders.below(2));
await app.close();
