import { addTracerModule } from './add-tracer-module.js';

/** The parts of a schematic's `Tree` and context that are used. The Nest CLI brings the devkit. */
interface Tree {
  exists(path: string): boolean;
  readText(path: string): string;
  overwrite(path: string, content: string): void;
  create(path: string, content: string): void;
}
interface Context {
  readonly logger: { info(message: string): void; warn(message: string): void };
}

interface NestAddOptions {
  /** Folder of the sources, as the Nest CLI passes it. Default: `src`. */
  readonly sourceRoot?: string;
}

const BY_HAND = "Add TracerModule.forRoot() from '@dacapo/nestjs' to the imports of your root module.";
const VARIABLES = 'TRACER_API_KEY=\nTRACER_SERVICE_URL=http://127.0.0.1:4100\n';

/**
 * Runs for `nest add @dacapo/nestjs`: adds `TracerModule` to the root module. Adds its variables to `.env.example` if the
 * application has that file or reads `.env`, which a stock application does not.
 */
export function nestAdd({ sourceRoot = 'src' }: NestAddOptions = {}): (tree: Tree, context: Context) => Tree {
  return (tree, { logger }) => {
    const path = `${sourceRoot}/app.module.ts`;
    const source = tree.exists(path) ? tree.readText(path) : undefined;
    const changed = source === undefined ? undefined : addTracerModule(source);
    if (changed === undefined) logger.warn(`${path} was not understood. ${BY_HAND}`);
    else if (changed === source) logger.info(`${path} imports TracerModule already.`);
    else tree.overwrite(path, changed);
    addVariables(tree);
    logger.info(
      'Set TRACER_API_KEY in the environment that the application starts in, and TRACER_SERVICE_URL unless the service is ' +
        'http://127.0.0.1:4100. Then decorate a method with @Traced() from @dacapo/nestjs.',
    );
    logger.info(
      'Call app.enableShutdownHooks() in main.ts, so that what waits is sent when the process is stopped.',
    );
    return tree;
  };
}

function addVariables(tree: Tree): void {
  const path = '.env.example';
  if (!tree.exists(path)) {
    if (readsEnvFiles(tree)) tree.create(path, VARIABLES);
  } else if (!tree.readText(path).includes('TRACER_API_KEY')) {
    tree.overwrite(path, `${tree.readText(path).replace(/\n*$/, '\n')}${VARIABLES}`);
  }
}

/** Searches package.json for packages and flags that read `.env`. */
function readsEnvFiles(tree: Tree): boolean {
  return (
    tree.exists('package.json') && /"(@nestjs\/config|dotenv)"|--env-file/.test(tree.readText('package.json'))
  );
}
