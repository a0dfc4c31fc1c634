/** A customer asked about an unknown order. The message can be shown to the customer. */
export class OrderNotFoundError extends Error {
  override readonly name = 'OrderNotFoundError';

  constructor(orderNumber: string) {
    super(`No order has the number ${orderNumber}. Please check it in your confirmation e-mail.`);
  }
}
