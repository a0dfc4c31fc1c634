import { Module } from '@nestjs/common';
import { TracedClientModule } from '@dacapo/nestjs';
import OpenAI from 'openai';
import { AppConfig } from '../config/app-config.js';
import { ChatClient } from './chat-client.js';

const TIMEOUT_MS = 60_000;

@Module({
  imports: [
    TracedClientModule.forRootAsync({
      provide: OpenAI,
      inject: [AppConfig],
      useFactory: ({ model: { baseUrl, apiKey = 'none' } }: AppConfig) =>
        new OpenAI({ baseURL: baseUrl, apiKey, timeout: TIMEOUT_MS, maxRetries: 1 }),
    }),
  ],
  providers: [ChatClient],
  exports: [ChatClient],
})
export class ModelModule {}
