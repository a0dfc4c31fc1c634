import { Module } from '@nestjs/common';
import { AnswerGuardService } from './answer-guard.service.js';

@Module({ providers: [AnswerGuardService], exports: [AnswerGuardService] })
export class SafetyModule {}
