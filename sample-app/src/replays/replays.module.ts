import { Module } from '@nestjs/common';
import { ClassificationModule } from '../classification/classification.module.js';
import { ReplaysController } from './replays.controller.js';

@Module({ imports: [ClassificationModule], controllers: [ReplaysController] })
export class ReplaysModule {}
