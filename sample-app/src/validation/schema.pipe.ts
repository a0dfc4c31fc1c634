import { BadRequestException, type PipeTransform } from '@nestjs/common';
import type { z } from 'zod';

/** Lets a request's body in as the schema describes it; otherwise 400, with every field that is wrong. */
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
