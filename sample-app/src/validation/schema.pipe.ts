import { BadRequestException, type PipeTransform } from '@nestjs/common';
import type { z } from 'zod';

/** Validates the request body. Responds with 400 and all invalid fields otherwise. */
export class SchemaPipe<T> implements PipeTransform<unknown, T> {
  constructor(private readonly schema: z.ZodType<T>) {}

  transform(body: unknown): T {
    const parsed = this.schema.safeParse(body ?? {});
    if (parsed.success) return parsed.data;
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.length === 0 ? 'body' : path.join('.')}: ${message}`,
    );
    throw new BadRequestException(problems);
  }
}
