import { Body, Controller, Get, NotFoundException, Param, Post } from '@nestjs/common';
import { SchemaPipe } from '../validation/schema.pipe.js';
import { type Ticket, type TicketRequest, ticketRequestSchema } from './ticket.js';
import { TicketsService } from './tickets.service.js';

@Controller('tickets')
export class TicketsController {
  constructor(private readonly tickets: TicketsService) {}

  @Post()
  create(@Body(new SchemaPipe(ticketRequestSchema)) request: TicketRequest): Promise<Ticket> {
    return this.tickets.handle(request);
  }

  @Get(':id')
  find(@Param('id') id: string): Ticket {
    const ticket = this.tickets.find(id);
    if (ticket === undefined)
      throw new NotFoundException(`Unknown ticket ${id}. Create one with POST /tickets.`);
    return ticket;
  }
}
