import { BadGatewayException } from '@nestjs/common';

/** The model API is unreachable, or returned an error or an invalid response. The request fails with 502. */
export class ModelCallFailedException extends BadGatewayException {
  constructor(problem: string, cure: string, options: { cause?: unknown } = {}) {
    super(`${problem}. ${cure}`, options);
  }
}
