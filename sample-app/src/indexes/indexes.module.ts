import { Module } from '@nestjs/common';
import { IndexesController } from './indexes.controller.js';

@Module({ controllers: [IndexesController] })
export class IndexesModule {}
