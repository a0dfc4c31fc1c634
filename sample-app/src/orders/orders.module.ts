import { Module } from '@nestjs/common';
import { OrderLookupService } from './order-lookup.service.js';

@Module({ providers: [OrderLookupService], exports: [OrderLookupService] })
export class OrdersModule {}
