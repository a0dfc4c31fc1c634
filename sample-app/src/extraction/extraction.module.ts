import { Module } from '@nestjs/common';
import { setLogLevel } from './baml_client/config.js';
import { ExtractorService } from './extractor.service.js';

@Module({ providers: [ExtractorService], exports: [ExtractorService] })
export class ExtractionModule {
  constructor() {
    // By default BAML prints every prompt to stdout.
    setLogLevel('OFF');
  }
}
