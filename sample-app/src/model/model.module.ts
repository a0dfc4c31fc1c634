import { Module } from '@nestjs/common';
import { ChatClient } from './chat-client.js';

@Module({ providers: [ChatClient], exports: [ChatClient] })
export class ModelModule {}
