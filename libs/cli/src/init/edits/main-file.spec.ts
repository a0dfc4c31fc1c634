import { addShutdownHooks } from './main-file.js';

const create = (rest: string): string => `async function main() {
  const app = await NestFactory.create(AppModule)${rest}
}
`;

describe('Shutdown hooks', () => {
  it.each([';\n  await app.listen(1);', '\n  await app.listen(1)', '; // the app', ''])(
    'are enabled below the line that creates the application: %j',
    (rest) => {
      expect(addShutdownHooks(create(rest))).toMatch(/AppModule\).*\n {2}app\.enableShutdownHooks\(\);?\n/);
    },
  );

  it.each([
    '\n    .catch(report);',
    ' // the app\n    .catch(report)',
    '\n    as Application;',
    '.catch(report);',
  ])('are not put into an expression that goes on: %j', (rest) => {
    expect(addShutdownHooks(create(rest))).toBeUndefined();
  });
});
