require('@dacapo/tracer');
