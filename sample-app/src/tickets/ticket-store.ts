import { Injectable } from '@nestjs/common';
import type { Ticket } from './ticket.js';

const KEPT = 1000;

/** Keeps the latest tickets in memory. */
@Injectable()
export class TicketStore {
  private readonly tickets = new Map<string, Ticket>();
  private count = 0;

  nextId(): string {
    this.count += 1;
    return `T-${this.count}`;
  }

  add(ticket: Ticket): void {
    this.tickets.set(ticket.id, ticket);
    const [oldest] = this.tickets.keys();
    if (this.tickets.size > KEPT && oldest !== undefined) this.tickets.delete(oldest);
  }

  find(id: string): Ticket | undefined {
    return this.tickets.get(id);
  }
}
