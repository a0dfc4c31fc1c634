import { Tracer } from '@dacapo/tracer';

new Tracer({ apiKey: 'key-of-nobody' });
