export { TracerTestingModule } from './testing/tracer-testing.module.js';
