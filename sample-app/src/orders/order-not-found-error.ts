/** A customer named an order that does not exist. The message is for the customer too. */
export class OrderNotFoundError extends Error {
  override readonly name = 'OrderNotFoundError';

  constructor(orderNumber: string) {
    super(`No order has the number ${orderNumber}. Please check it in your confirmation e-mail.`);
  }
}
