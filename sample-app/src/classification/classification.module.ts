import { Module } from '@nestjs/common';
import { ModelModule } from '../model/model.module.js';
import { ClassificationModel } from './classification-model.js';
import { ClassifierService } from './classifier.service.js';
import { ClassifierV2Service } from './classifier-v2.service.js';

@Module({
  imports: [ModelModule],
  providers: [ClassificationModel, ClassifierService, ClassifierV2Service],
  exports: [ClassifierService, ClassifierV2Service],
})
export class ClassificationModule {}
