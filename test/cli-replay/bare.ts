import 'reflect-metadata';
import { Module } from '@nestjs/common';

@Module({ providers: [] })
export class AppModule {}
