export interface DeliveryOptions {
  intervalMs?: number;
}
