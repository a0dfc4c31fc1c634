import { Inject, Injectable } from '@nestjs/common';
import { Traced, Tracer } from '@dacapo/nestjs';
import { AppConfig } from '../config/app-config.js';
import { b } from './baml_client/index.js';
import type { Facts } from './baml_client/types.js';

/** Extracts facts from a message with the BAML function in baml_src/extract-facts.baml. */
@Injectable()
export class ExtractorService {
  private readonly extractFacts: (message: string) => Promise<Facts>;

  constructor(@Inject(AppConfig) { model }: AppConfig, tracer: Tracer) {
    const env = { MODEL_NAME: model.name, MODEL_KEY: model.apiKey ?? 'none', MODEL_URL: model.baseUrl };
    const extractFacts = tracer.wrapFramework(b, b.ExtractFacts);
    this.extractFacts = (message) => extractFacts(message, { env });
  }

  @Traced('extract-facts', { type: 'llm' })
  extract(message: string): Promise<Facts> {
    return this.extractFacts(message);
  }
}
