import { Injectable } from '@nestjs/common';
import { Traced } from '@dacapo/nestjs';
import { type Order, ORDERS } from './order.js';
import { OrderNotFoundError } from './order-not-found-error.js';

@Injectable()
export class OrderLookupService {
  /** @throws OrderNotFoundError */
  @Traced('look-up-order', { type: 'function' })
  async lookUp(orderNumber: string): Promise<Order> {
    const order = ORDERS.find(({ number }) => number === orderNumber);
    if (order === undefined) throw new OrderNotFoundError(orderNumber);
    return order;
  }
}
