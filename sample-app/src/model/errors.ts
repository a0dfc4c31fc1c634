import { BadGatewayException } from '@nestjs/common';

/** The model could not be reached, refused, or answered something that cannot be read: the ticket gets 502. */
export class ModelCallFailedException extends BadGatewayException {
  constructor(problem: string, cure: string, options: { cause?: unknown } = {}) {
    super(`${problem}. ${cure}`, options);
  }
}
