import 'reflect-metadata';
import { AppModule } from './app.module.js';
import { loadConfig } from './config/load-config.js';

/** What `dacapo replay dist/replay.js` starts: the application, without what it does by itself. */
export default AppModule.register(loadConfig(process.env));
