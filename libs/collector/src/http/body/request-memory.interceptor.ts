import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import { MemoryBudget, type Reservation } from '../../memory/memory-budget.js';
import { findCaller } from '../access/caller.decorator.js';

const reservations = new WeakMap<FastifyRequest, Reservation>();

/** The request's reserved memory. It is released when the handler ends, even if the client disconnected before. */
export function requireReservation(request: FastifyRequest): Reservation {
  const reservation = reservations.get(request);
  if (reservation === undefined) throw new Error('RequestMemoryInterceptor is missing');
  return reservation;
}

/** Opens a reservation for each request, and releases it after its handler. */
@Injectable()
export class RequestMemoryInterceptor implements NestInterceptor {
  constructor(private readonly budget: MemoryBudget) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reservation = this.budget.open(findCaller(request)?.accountId ?? '');
    reservations.set(request, reservation);
    return next.handle().pipe(
      finalize(() => {
        reservation.release();
      }),
    );
  }
}
