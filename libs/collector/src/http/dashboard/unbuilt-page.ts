/** Shown when the dashboard was not built. */
export const UNBUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Dacapo</title>
  </head>
  <body>
    <h1>Dacapo is running</h1>
    <p>Its dashboard is not built in this checkout. Build it, then start the collector again:</p>
    <pre>npm run build</pre>
    <p>The service itself is complete: <a href="/health/ready">/health/ready</a>.</p>
  </body>
</html>
`;
