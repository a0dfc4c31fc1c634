import 'reflect-metadata';
import { AppModule } from './app.module.js';
import { loadConfig } from './config/load-config.js';

/** What `dacapo replay dist/replay.js` loads: the application without schedules, queue workers and listeners. */
export default AppModule.register(loadConfig(process.env));
