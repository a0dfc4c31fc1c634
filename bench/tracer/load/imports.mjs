import '@dacapo/tracer';
